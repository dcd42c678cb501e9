/** Printing, reading and changing text. */
import { expandCabinet } from '../cabinet.ts'
import type { Reader } from '../doing.ts'
import { base64, cat, cut, dc, echo, head, printf, rev, seq, sort, tac, tail, tr, uniq, xxd } from '../filters.ts'
import { openssl } from '../openssl.ts'
import type { Group } from '../registry.ts'
import { applyRow, type Row } from '../row.ts'

/** Filters of layout; `expand` is one, and another program on Windows. */
const LAYOUT: Row = {
  names: 'nl fold fmt unexpand column col colrm ul pr numfmt',
  options:
    '-a -b: -c -d: -f: -h: -i: -l: -n: -o: -s: -t: -u -v: -w: --from: --to: --field: --format: --table -J -N: -S: -p -e? -x',
  operands: 'read…',
  out: 'changed',
  why: 'the same text in another layout',
}

const expand: Reader = function* (call) {
  return (call.platform === 'win32' ? expandCabinet(call) : undefined) ?? applyRow(LAYOUT, call)
}

export const text: Group = {
  id: 'text',
  rows: [
    { names: 'true false :', stop: true, out: 'nothing', why: 'a constant exit status; arguments are ignored' },
    { names: 'test [ [[', stop: true, out: 'nothing', why: 'compares texts and looks at metadata' },
    {
      names:
        'type let shopt ulimit umask wait jobs times hash getopts help compgen fg bg disown bind complete compopt enable caller suspend logout fc',
      stop: true,
      why: 'builtins that touch nothing but the shell itself',
    },
    {
      names: 'history',
      options: '-a -c -d: -n -p -r -s -w',
      when: [
        { flags: '-w', operands: 'write' },
        { flags: '-a', operands: 'append' },
        { flags: '-n -r', operands: 'read' },
      ],
      why: 'bash(1): a file may stand behind -a, -n, -r and -w',
    },
    LAYOUT,
    {
      names: 'paste join comm look tsort ptx csvcut csvgrep csvlook csvjson csvstat xsv',
      options:
        '-1: -2: -a: -d|--delimiters: -e: -i -j: -o: -s -t: -v: -z -c: -m: -r: --header --nocheck-order --output-delimiter:',
      operands: 'read…',
      out: 'changed',
      why: 'joins and picks fields of files',
    },
    {
      names: 'od god hexdump hd strings gstrings',
      options: '-A: -a -b -c -C -d -e: -f: -j: -n: -N: -o -s: -S: -t: -v -w? -x --encoding: --radix:',
      operands: 'read…',
      out: 'changed',
      why: 'content as numbers or the texts in it',
    },
    {
      names: 'diff gdiff colordiff diff3 wdiff icdiff difft delta sdiff',
      options:
        '-u -U: -c -C: -r|--recursive -q|--brief -N|--new-file -a -b -B -i -w -E -y -W|--width: -x|--exclude: -X|--exclude-from:read ' +
        '-I|--ignore-matching-lines: -F: -D: -L|--label: -s -p -t -T -n: -l -e --color? --from-file:read --to-file:read -o|--output:write ' +
        '-S|--starting-file: -j: -m --side-by-side --unified? --context? --strip-trailing-cr --speed-large-files --no-dereference',
      operands: 'read…',
      when: [{ flags: '-q', operands: 'names…' }],
      tree: '-r',
      out: 'changed',
      why: 'compares; -q only says whether they differ; sdiff -o writes the merge',
    },
    {
      names: 'cmp gcmp',
      options: '-b|--print-bytes -i|--ignore-initial: -l|--verbose -n|--bytes: -s|--quiet|--silent',
      operands: 'names…',
      when: [{ flags: '-b -l', operands: 'read…' }],
      out: 'changed',
      why: 'says where two files differ, with -b and -l the bytes',
    },
    {
      names: 'more less most bat batcat pg',
      options:
        '-N -S -R -F -X -E -i -p|--plain -A -n -r|--line-range: -l|--language: --theme: --style: --color: --paging: --pager: -H: -d -f -h|--help -P: -j: -x: -y: -O:write -o:write -k:read -t: -T:read',
      operands: 'read…',
      info: '-h',
      out: 'input',
      why: 'shows files; to a pipe it prints them as they are',
    },
    {
      names: 'recode',
      options:
        '-s|--strict -f|--force -d|--diacritics -g|--graphics -i|--sequence? -q|--quiet -t|--touch -v|--verbose -l|--list? -k|--known:',
      operands: 'skip edit…',
      out: 'changed',
      why: 'recode BEFORE..AFTER FILE writes over its files; without one it is a filter',
    },
    {
      names: 'iconv uconv',
      options: '-f|--from-code: -t|--to-code: -c -s -l|--list -o|--output:write --byte-subst: -x:',
      operands: 'read…',
      out: 'changed',
      why: 'the same text in another encoding',
    },
    {
      names: 'shuf gshuf',
      options:
        '-e|--echo -i|--input-range: -n|--head-count: -o|--output:write --random-source:read -r|--repeat -z|--zero-terminated',
      operands: 'read',
      when: [{ flags: '-e -i', operands: 'skip…' }],
      out: 'lines',
      why: 'lines in random order',
    },
    {
      names: 'envsubst',
      options: '-v|--variables -h -V',
      operands: 'skip',
      out: 'changed',
      why: 'variables named in stdin are filled in',
    },
    {
      names: 'ts pv mbuffer buffer',
      options: '-r -s -i -m -L: -B: -s: -N: -q -a -b -e -p -t -W -o:write',
      operands: 'read…',
      out: 'lines',
      why: 'passes stdin on with times or a meter',
    },
    {
      names: 'uuencode uudecode',
      options: '-m -r -o:write -c -i -p -s',
      operands: 'read skip',
      out: 'changed',
      why: 'text form of binary files',
    },
    {
      names: 'expr factor bc units',
      options: '-e: -f:read -l -q -s',
      operands: 'skip…',
      why: 'calculates; operands are numbers or formulas',
    },
    {
      names: 'glow mdcat pygmentize highlight chroma',
      options: '-s: -w: -p -l: -f: -O: -o:write -g',
      operands: 'read…',
      out: 'changed',
      why: 'shows text in colour',
    },
    {
      names: 'pandoc',
      options:
        '-f|-r|--from|--read: -t|-w|--to|--write: -o|--output:write -s|--standalone -F|--filter:run -L|--lua-filter:run ' +
        '--template:read -V|--variable: -M|--metadata: --metadata-file:read -H:read -B:read -A:read -c|--css: --bibliography:read ' +
        '--csl:read --pdf-engine: --resource-path: --data-dir: -d|--defaults:read -N --toc --wrap: --columns: -v|--version -h|--help',
      operands: 'read…',
      info: '-v -h',
      out: 'changed',
      why: 'converts documents; filters are programs',
    },
    {
      names: 'rst2html asciidoctor markdown',
      options: '-o|--out-file:write -b: -a: -D|--destination-dir:into -r|--require:run -T:read -h|--help -V',
      operands: 'read…',
      info: '-h -V',
      out: 'changed',
      why: 'converts documents',
    },
    {
      names: 'msgfmt msgmerge xgettext',
      options: '-o|--output-file:write -U|--update -d: -L: -k? -f:read -D: -p: -c? -v --check',
      operands: 'read…',
      when: [{ flags: '-U', operands: 'edit read…' }],
      why: 'message catalogues',
    },
    {
      names: 'figlet toilet cowsay lolcat banner fortune',
      options: '-f: -w: -d: -e: -T:',
      operands: 'skip…',
      why: 'decoration',
    },
  ],
  readers: {
    'echo gecho': echo,
    'printf gprintf': printf,
    'cat gcat': cat,
    'base64 base32 basenc gbase64 gbase32': base64,
    rev,
    expand,
    'tac gtac': tac,
    'tr gtr': tr,
    'head ghead': head,
    'tail gtail': tail,
    'cut gcut': cut,
    'sort gsort': sort,
    'uniq guniq': uniq,
    xxd,
    'seq gseq': seq,
    openssl,
    dc,
  },
}
