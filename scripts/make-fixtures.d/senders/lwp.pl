use strict;
use warnings;
use Encode qw(encode_utf8);
use HTTP::Request::Common qw(POST);
use JSON::PP qw(decode_json);
use LWP::UserAgent;

# The module takes bytes.
open my $file, '<', $ARGV[1] or die;
my $form = decode_json(join '', <$file>);
my @content = map { (encode_utf8($_->[0]), encode_utf8($_->[1])) } @{$form->{fields}};
my $filename = encode_utf8($form->{file}{filename});
push @content, $form->{file}{name}, [$filename, $filename];
my $answer = LWP::UserAgent->new->request(POST $ARGV[0], Content_Type => 'form-data', Content => \@content);
$answer->is_success or die $answer->status_line;
print "libwww-perl $LWP::UserAgent::VERSION, HTTP::Request::Common $HTTP::Request::Common::VERSION\n";
