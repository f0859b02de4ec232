use strict;
use warnings;
use Mojo::JSON qw(decode_json);
use Mojo::File qw(path);
use Mojo::UserAgent;
use Mojolicious;
use Encode qw(encode_utf8);

my $form = decode_json(path($ARGV[1])->slurp);
my %content = map { $_->[0] => $_->[1] } @{$form->{fields}};
my $filename = $form->{file}{filename};
$content{$form->{file}{name}} = {file => encode_utf8($filename), filename => $filename};
$content{$form->{unfilledFile}} = {content => '', filename => ''};
my $answer = Mojo::UserAgent->new->post($ARGV[0] => form => \%content);
$answer->result->is_success or die;
print "Mojolicious $Mojolicious::VERSION\n";
