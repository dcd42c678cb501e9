/** One-line programs of other languages that change files. */
import { single } from './words.ts'
import type { Pen, Writer } from './writer.ts'

/** A program's text behind `-c` or `-e`, or on standard input. */
function program(w: Pen, base: string, flag: string, text: string): string {
  switch (w.random.int(4)) {
    case 0:
      return `${base} ${base === 'perl' ? '' : '- '}<<'PROGRAM'\n${text}\nPROGRAM`
    case 1:
      return `echo ${single(text)} | ${base}${base === 'python3' ? ' -' : ''}`
    default:
      return `${base} ${flag} ${text.includes("'") || w.random.chance(0.7) ? single(text) : `"${text.replace(/["\\$`]/g, '\\$&')}"`}`
  }
}

const py = (text: (path: string, w: Pen) => string) => (w: Pen) =>
  program(w, 'python3', '-c', text(JSON.stringify(w.literal()), w))
const js = (text: (path: string, w: Pen) => string) => (w: Pen) =>
  program(w, 'node', '-e', text(JSON.stringify(w.literal()), w))
const perl = (text: (path: string, w: Pen) => string) => (w: Pen) =>
  program(w, 'perl', '-e', text(single(w.literal()), w))

export const CODE_WRITERS: readonly Writer[] = [
  {
    id: 'python open',
    on: 'content',
    weight: 2,
    make: py((p, w) => `open(${p}, "${w.random.pick(['w', 'a', 'w+', 'wb'])}").close()`),
  },
  { id: 'python with', on: 'content', make: py((p) => `with open(${p}, mode="w") as f:\n    f.write("x\\n")`) },
  {
    id: 'python pathlib',
    on: 'content',
    weight: 2,
    make: py(
      (p, w) =>
        `from pathlib import Path\nPath(${p}).${w.random.pick(['write_text("x")', 'write_bytes(b"x")', 'open("w").write("x")'])}`,
    ),
  },
  {
    id: 'python parts',
    on: 'content',
    make: py((p) => `import os\np = ${p}\nd, b = os.path.split(p)\nopen(os.path.join(d, b), "w").write("x")`),
  },
  {
    id: 'python shutil',
    on: 'content',
    make: py(
      (p, w) =>
        `import shutil; shutil.${w.random.pick(['copy', 'copyfile', 'copy2'])}("/home/dev/shop/README.md", ${p})`,
    ),
  },
  {
    id: 'python remove',
    on: 'file',
    weight: 2,
    make: py((p, w) =>
      w.random.pick([
        `import os; os.remove(${p})`,
        `import os; os.unlink(${p})`,
        `import pathlib; pathlib.Path(${p}).unlink()`,
      ]),
    ),
  },
  {
    id: 'python rename',
    on: 'file',
    make: py((p, w) =>
      w.random.pick([
        `import os; os.rename(${p}, ${p} + ".old")`,
        `from pathlib import Path; Path(${p}).rename(${p} + ".old")`,
        `import shutil; shutil.move(${p}, "/home/dev/shop/build/py-moved")`,
      ]),
    ),
  },
  { id: 'python chmod', on: 'file', make: py((p) => `import os\nos.chmod(${p}, 0o600)`) },
  { id: 'python rmtree', on: 'dir', make: py((p) => `import shutil; shutil.rmtree(${p})`) },
  {
    id: 'python glob',
    on: 'dir',
    make: py((p) => `import glob, os\nfor f in glob.glob(${p} + "/*"):\n    if os.path.isfile(f): os.remove(f)`),
  },
  {
    id: 'python subprocess',
    on: 'content',
    make: py(
      (p, w) =>
        `import subprocess\nsubprocess.${w.random.pick(['run', 'call', 'check_call'])}(["cp", "/home/dev/shop/README.md", ${p}])`,
    ),
  },
  {
    id: 'python system',
    on: 'content',
    make: (w) => program(w, 'python3', '-c', `import os\nos.system(${JSON.stringify(`echo x > "${w.literal()}"`)})`),
  },
  { id: 'python edit', on: 'file', make: py((p) => `p = ${p}\ns = open(p).read()\nopen(p, "w").write(s + "x")`) },
  {
    id: 'node write',
    on: 'content',
    weight: 2,
    make: js((p, w) => `require("fs").${w.random.pick(['writeFileSync', 'appendFileSync'])}(${p}, "x")`),
  },
  {
    id: 'node const',
    on: 'content',
    make: js((p) => `const fs = require("node:fs"); const p = ${p}; fs.writeFileSync(p, "x")`),
  },
  {
    id: 'node async',
    on: 'content',
    make: js((p, w) =>
      w.random.pick([`require("fs/promises").writeFile(${p}, "x")`, `require("fs").writeFile(${p}, "x", () => {})`]),
    ),
  },
  { id: 'node copy', on: 'content', make: js((p) => `require("fs").copyFileSync("/home/dev/shop/README.md", ${p})`) },
  { id: 'node stream', on: 'content', make: js((p) => `require("fs").createWriteStream(${p}).end("x")`) },
  {
    id: 'node rm',
    on: 'file',
    make: js(
      (p, w) => `require("fs").${w.random.pick([`rmSync(${p})`, `unlinkSync(${p})`, `rmSync(${p}, { force: true })`])}`,
    ),
  },
  {
    id: 'node rename',
    on: 'file',
    make: js((p) => `const { renameSync } = require("fs"); renameSync(${p}, "/home/dev/shop/build/js-moved")`),
  },
  { id: 'node chmod', on: 'file', make: js((p) => `require("fs").chmodSync(${p}, 0o711)`) },
  { id: 'node rm dir', on: 'dir', make: js((p) => `require("fs").rmSync(${p}, { recursive: true })`) },
  {
    id: 'node exec',
    on: 'content',
    make: (w) =>
      program(w, 'node', '-e', `require("child_process").execSync(${JSON.stringify(`echo x > "${w.literal()}"`)})`),
  },
  {
    id: 'perl -pi',
    on: 'file',
    weight: 3,
    make: (w) =>
      `perl ${w.random.pick(['-pi -e', '-p -i -e', '-i.bak -pe', '-0pi -e', '-i -ne'])} ${w.random.pick(["'s/^/x/'", '\'$_ .= "y\\n"\'', '\'print "z\\n"\''])} ${w.t()}`,
  },
  {
    id: 'perl open',
    on: 'content',
    make: perl((p, w) => `open(F, ${w.random.pick([`">", ${p}`, `">>", ${p}`])}); print F "x"; close F;`),
  },
  { id: 'perl unlink', on: 'file', make: perl((p) => `unlink ${p};`) },
  { id: 'perl rename', on: 'file', make: perl((p) => `rename ${p}, "/home/dev/shop/build/pl-moved";`) },
  { id: 'perl system', on: 'content', make: (w) => `perl -e ${single(`system(q{echo x > "${w.literal()}"})`)}` },
  { id: 'perl backtick', on: 'content', make: (w) => `perl -e ${single(`\`cp ${w.readme} "${w.literal()}"\``)}` },
]
