/** Pictures, sound, film, printed pages and recordings: what is read and which file comes out. */
import { asciinema, exiftool, ffmpeg, imageMagick, pdftk, qemuImg, qpdf, sox, typst } from '../media.ts'
import type { Group } from '../registry.ts'

export const media: Group = {
  id: 'media',
  rows: [
    {
      names: 'lame',
      options:
        '-b: -B: -V: -q: -m: -s: -a -d -f -h -j -k -l -p -r -S -t -v -x -F --abr: --preset: --scale: --lowpass: --highpass: --resample: ' +
        '--decode --quiet --silent --brief --tt: --ta: --tl: --ty: --tc: --tn: --tg: --ti:read --tv: --id3v2-only --cbr',
      operands: 'read write',
      why: 'lame(1): infile, outfile',
    },
    {
      names: 'opusenc opusdec',
      options:
        '--bitrate: --comp: --framesize: --title: --artist: --album: --genre: --date: --comment: --picture: --rate: --gain: --vbr --cvbr --quiet',
      operands: 'read write',
      why: 'opusenc(1): the second operand is the output file',
    },
    {
      names: 'pdftotext pdftops',
      options:
        '-f: -l: -r: -x: -y: -W: -H: -enc: -eol: -opw: -upw: -paper: -layout -raw -htmlmeta -bbox -bbox-layout -nopgbrk -q -tsv -eps -level2 -level3 -fixed: -h -v',
      operands: 'read write',
      single: true,
      info: '-h -v',
      why: 'poppler: the second operand is the output file, - for stdout',
    },
    { names: 'pdfunite', operands: 'read… last:write', why: 'poppler: the last operand is the output file' },
    {
      names: 'wkhtmltopdf wkhtmltoimage',
      operands: 'skip… last:write',
      why: 'the last word is the output file; pages before it are addresses or files that are shown',
    },
    {
      names: 'optipng',
      options:
        '-out:write -dir:into -o: -f: -i: -zc: -zm: -zs: -zw: -log:write -q -k -backup -fix -force -simulate -preserve -strip: -v',
      operands: 'edit…',
      when: [
        { flags: '-simulate', operands: 'names…' },
        { flags: '-out -dir', operands: 'read…' },
      ],
      single: true,
      why: 'optimises pictures in place unless another place is named',
    },
    {
      names: 'jpegoptim oxipng',
      options:
        '-d|--dest|--dir:into --out:write -m|--max: -S|--size: -T|--threshold: -o|--opt: -t|--threads: --strip: -w: --stdout --stdin -n|--noaction -P|--pretend -f -q -v -p -s',
      operands: 'edit…',
      when: [
        { flags: '-n -P --stdout', operands: 'names…' },
        { flags: '-d --out', operands: 'read…' },
      ],
      why: 'optimise pictures in place unless another place is named',
    },
    {
      names: 'pngquant',
      options:
        '-o|--output:write --ext: -f|--force --quality: -s|--speed: --posterize: --skip-if-larger --strip -v --nofs --floyd?',
      operands: 'read…',
      when: [
        { flags: '-o', operands: 'read…' },
        { flags: '--ext', operands: 'edit…' },
      ],
      why: 'writes beside its input; with --ext perhaps over it',
    },
    {
      names: 'pngcrush',
      options: '-d:into -e: -c: -f: -l: -m: -w: -g: -rem: -ow -q -v -reduce -brute -n',
      operands: 'read write',
      when: [
        { flags: '-n', operands: 'names…' },
        { flags: '-ow', operands: 'edit…' },
        { flags: '-d -e', operands: 'read…' },
      ],
      single: true,
      why: 'pngcrush IN OUT; -ow writes over the input',
    },
    {
      names: 'espeak espeak-ng',
      options: '-w:write -f:read -v: -s: -p: -a: -g: -k: -l: -b: -d: -m -q -x -X -z --stdin --stdout --path:',
      operands: 'skip…',
      why: 'speech, into a file with -w',
    },
    {
      names: 'scrot maim grim',
      options:
        '-d|--delay: -q|--quality: -g|--geometry: -i|--window: -o: -s: -t: -l: -u -b -m -c -p -z -k? -f|--file:write -F:write -e|--exec: --select',
      operands: 'write',
      why: 'a picture of the screen into the named file',
    },
    {
      names: 'screencapture',
      options: '-R: -t: -T: -l: -D: -B: -J: -V: -G: -g -v -k -b -c -C -d -i -m -M -o -p -P -r -s -S -w -W -x -a',
      operands: 'write…',
      why: 'macOS: a picture of the screen into the named files',
    },
    {
      names: 'tcpdump tshark dumpcap',
      options:
        '-w:write -r:read -F:read -i: -c: -s: -C: -G: -W: -y: -Y: -f: -T: -e: -E: -b: -a: -o: -d: -z: -Z: -M: -m: -V: -B: -A -D -L -n -N -p -q -S -t -u -U -v -x -X -l -I -J -K -O',
      operands: 'skip…',
      why: 'packets of the network, into a file with -w; operands are the filter',
    },
  ],
  readers: {
    'ffmpeg avconv': ffmpeg,
    sox,
    'magick convert composite montage mogrify compare stream gm': imageMagick,
    qpdf,
    'pdftk pdftk-java': pdftk,
    exiftool,
    'qemu-img': qemuImg,
    typst,
    asciinema,
  },
}
