class Formwork < Formula
  desc "Streaming multipart/form-data: compose, send, receive and inspect"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_linux do
@ARCHIVES@
  end

  depends_on :linux

  def install
    bin.install "bin/formwork"
    # `formwork` looks for it in ../libexec/formwork.
    (prefix/"libexec/formwork").install "libexec/formwork/formwork-transfer"
    # The database of the libmagic that is linked in.
    pkgshare.install "share/formwork/magic.mgc"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/formwork"
    zsh_completion.install "share/zsh/site-functions/_formwork"
    fish_completion.install "share/fish/vendor_completions.d/formwork.fish"
  end

  test do
    (testpath/"note.txt").write "harbour"
    assert_match "harbour", shell_output("#{bin}/formwork body -F note=@note.txt --boundary b")
  end
end
