# Plack, which puts files on disk, served by Starman.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Fcntl;
use File::Basename qw(basename);
use JSON::PP;
use Plack;
use Plack::Request;
use Starman;

my $json = JSON::PP->new->canonical->utf8(0);

# Names are passed on as bytes.
sub line {
    my ($name, $filename, $size, $sha256) = @_;
    return $json->encode({ name => $name, filename => $filename, size => $size + 0, sha256 => $sha256 }) . "\n";
}

sub rows {
    my $request = shift;
    my $text = '';
    $request->body_parameters->each(sub { $text .= line($_[0], undef, length $_[1], sha256_hex($_[1])) });
    $request->uploads->each(sub {
        my ($name, $upload) = @_;
        $text .= line($name, $upload->filename, $upload->size, Digest::SHA->new(256)->addfile($upload->path)->hexdigest);
    });
    return [200, [], [$text]];
}

sub {
    my $request = Plack::Request->new(shift);
    my (undef, $place, $key) = split m{/}, $request->path;
    return [200, [], ["Plack $Plack::VERSION, Starman $Starman::VERSION\n"]] if $request->method eq 'GET';
    return [307, ['Location', '/form'], []] if $place eq 'moved';
    return [413, [], ["too large\n"]] if $place eq 'full';
    return [503, ['Retry-After', 1], ["busy\n"]]
        if $place eq 'busy' && sysopen my $file, 'busy-' . basename($key), O_CREAT | O_EXCL;
    return rows($request);
};
