/** Programs and forms of the shell that change files, one row a way. */

import { posix } from 'node:path'
import { single } from './words.ts'
import type { Writer } from './writer.ts'
import { CODE_WRITERS } from './writers-code.ts'
import { GIT_WRITERS } from './writers-git.ts'

const here = (body: string, tag = 'EOF'): string => `${body}\n${tag}`

const REDIRECTS: readonly Writer[] = [
  { id: '>', on: 'content', weight: 3, make: (w) => `${w.producer()} > ${w.t()}` },
  { id: '>>', on: 'content', weight: 3, make: (w) => `${w.producer()} >> ${w.t()}` },
  { id: '>|', on: 'content', make: (w) => `${w.producer()} >| ${w.t()}` },
  { id: '&>', on: 'content', make: (w) => `${w.producer()} &> ${w.t()}` },
  { id: '&>>', on: 'content', make: (w) => `${w.producer()} &>> ${w.t()}` },
  { id: '>&', on: 'content', make: (w) => `${w.producer()} >& ${w.t()}` },
  { id: '1>', on: 'content', make: (w) => `${w.producer()} 1>${w.t()}` },
  { id: '2>', on: 'content', make: (w) => `ls nosuch 2> ${w.t()}` },
  { id: '2>>', on: 'content', make: (w) => `ls nosuch 2>>${w.t()}` },
  { id: '<>', on: 'content', make: (w) => `echo zz 1<> ${w.t()}` },
  { id: 'front', on: 'content', make: (w) => `> ${w.t()} ${w.producer()}` },
  { id: 'empty', on: 'content', make: (w) => `${w.random.pick(['', ': ', 'true '])}> ${w.t()}` },
  {
    id: 'exec fd',
    on: 'content',
    make: (w) => `exec 3${w.random.pick(['>', '>>', '<>'])} ${w.t()}; echo y >&3; exec 3>&-`,
  },
  { id: 'named fd', on: 'content', make: (w) => `exec {fd}>${w.t()}; echo y >&$fd` },
  { id: 'exec stdout', on: 'content', make: (w) => `( exec > ${w.t()}; ${w.producer()} )` },
  { id: 'group', on: 'content', make: (w) => `{ ${w.producer()}; echo y; } >${w.random.pick(['', '>'])} ${w.t()}` },
  { id: 'two outputs', on: 'content', make: (w) => `${w.producer()} > /tmp/o1 2> ${w.t()}` },
  { id: 'swap', on: 'content', make: (w) => `ls nosuch 3>&1 1>/tmp/o2 2>${w.t()}` },
  { id: 'loop out', on: 'content', make: (w) => `while read -r l; do echo "$l"; done < ${w.source()} > ${w.t()}` },
  { id: 'for out', on: 'content', make: (w) => `for i in 1 2; do echo $i; done >> ${w.t()}` },
  { id: 'heredoc', on: 'content', weight: 2, make: (w) => here(`cat > ${w.t()} <<'EOF'\n${w.text()}`) },
  { id: 'heredoc front', on: 'content', make: (w) => here(`cat <<EOF >> ${w.t()}\n${w.text()}`) },
  { id: 'heredoc tabs', on: 'content', make: (w) => here(`cat <<-EOF > ${w.t()}\n\t${w.text()}`, '\tEOF') },
  { id: 'here string', on: 'content', make: (w) => `cat <<< ${w.q(w.text())} > ${w.t()}` },
  { id: 'process substitution', on: 'content', make: (w) => `${w.producer()} > >(cat > ${w.t()}); sleep 0.1` },
  {
    id: 'process substitution tee',
    on: 'content',
    make: (w) => `${w.producer()} | tee >(cat >> ${w.t()}) > /dev/null; sleep 0.1`,
  },
  { id: 'input substitution', on: 'content', make: (w) => `cat <(echo q; echo r > ${w.t()}) > /dev/null` },
]

const PROGRAMS: readonly Writer[] = [
  { id: 'tee', on: 'content', weight: 2, make: (w) => `${w.producer()} | tee ${w.t()}` },
  {
    id: 'tee -a',
    on: 'content',
    make: (w) => `${w.producer()} | tee ${w.random.pick(['-a', '--append', '-ia'])} ${w.t()} > /dev/null`,
  },
  { id: 'tee many', on: 'content', make: (w) => `${w.producer()} | tee /tmp/o3 ${w.t()} /tmp/o4` },
  {
    id: 'cp',
    on: 'content',
    weight: 3,
    make: (w) =>
      `cp ${w.random.pick(['', '-f ', '-a ', '-p ', '--remove-destination ', '-b ', '-T ', '-- '])}${w.source()} ${w.t()}`,
  },
  { id: 'cp into', on: 'into', weight: 2, make: (w) => `cp ${w.temp()} ${w.t()}${w.random.pick(['', '/'])}` },
  { id: 'cp -t', on: 'into', make: (w) => `cp ${w.random.pick(['-t ', '--target-directory='])}${w.t()} ${w.temp()}` },
  { id: 'cp many', on: 'into', make: (w) => `cp ${w.temp()} ${w.temp()} ${w.t()}` },
  {
    id: 'cp same name',
    on: 'file',
    make(w) {
      w.before(`mkdir -p /tmp/in && echo y > ${single(`/tmp/in/${w.base}`)}`)
      return `cp ${single(`/tmp/in/${w.base}`)} ${w.at(posix.dirname(w.path))}`
    },
  },
  {
    id: 'cp -r',
    on: 'file',
    make(w) {
      w.before(`mkdir -p /tmp/tr && echo y > ${single(`/tmp/tr/${w.base}`)}`)
      return `cp -${w.random.pick(['r', 'R', 'a'])} /tmp/tr/. ${w.at(posix.dirname(w.path))}`
    },
  },
  { id: 'cp -l', on: 'content', make: (w) => `cp -f${w.random.pick([`l ${w.readme}`, `s ${w.temp()}`])} ${w.t()}` },
  {
    id: 'mv onto',
    on: 'content',
    weight: 2,
    make: (w) => `mv ${w.random.pick(['', '-f ', '-T '])}${w.temp()} ${w.t()}`,
  },
  { id: 'mv into', on: 'into', make: (w) => `mv ${w.temp()} ${w.t()}` },
  {
    id: 'mv away',
    on: 'file',
    weight: 2,
    make: (w) => `mv ${w.t()} ${w.random.pick(['/tmp/gone', 'moved.txt', '/tmp'])}`,
  },
  { id: 'mv -t', on: 'file', make: (w) => `mv -t /tmp ${w.t()}` },
  { id: 'mv dir', on: 'dir', weight: 2, make: (w) => `mv ${w.t()} ${w.random.pick(['/tmp/gone', '/tmp/'])}` },
  { id: 'mv back', on: 'file', make: (w) => `mv ${w.t()} /tmp/back && mv /tmp/back ${w.t()}.bak` },
  { id: 'rename brace', on: 'file', make: (w) => `mv ${single(w.literal())}{,.bak}` },
  { id: 'ln -s', on: 'content', make: (w) => `ln -s${w.random.pick(['f', 'fn', 'f -T'])} ${w.temp()} ${w.t()}` },
  { id: 'ln', on: 'content', make: (w) => `ln -f ${w.readme} ${w.t()}` },
  { id: 'ln into', on: 'into', make: (w) => `ln -s ${w.temp()} ${w.t()}` },
  {
    id: 'install',
    on: 'content',
    weight: 2,
    make: (w) => `install ${w.random.pick(['', '-m 600 ', '-D ', '-C '])}${w.temp()} ${w.t()}`,
  },
  { id: 'install -t', on: 'into', make: (w) => `install -m 644 -t ${w.t()} ${w.temp()}` },
  { id: 'install -d', on: 'into', make: (w) => `install -d ${w.t()}/made` },
  {
    id: 'rsync',
    on: 'content',
    make: (w) => `rsync ${w.random.pick(['', '-a ', '-I ', '--inplace '])}${w.temp()} ${w.t()}`,
  },
  { id: 'rsync into', on: 'into', make: (w) => `rsync -a ${w.temp()} ${w.t()}/` },
  {
    id: 'rsync --delete',
    on: 'dir',
    make(w) {
      w.before('mkdir -p /tmp/rs && echo y > /tmp/rs/y')
      return `rsync -a --delete /tmp/rs/ ${w.t()}/`
    },
  },
  { id: 'rsync --remove', on: 'file', make: (w) => `rsync --remove-source-files ${w.t()} /tmp/` },
  {
    id: 'dd',
    on: 'content',
    weight: 2,
    make: (w) => `dd if=${w.readme} of=${w.t()} status=none`,
  },
  {
    id: 'dd pipe',
    on: 'content',
    make: (w) => `${w.producer()} | dd of=${w.t()} ${w.random.pick(['', 'conv=notrunc ', 'bs=1 seek=2 '])}2> /dev/null`,
  },
  {
    id: 'truncate',
    on: 'content',
    weight: 2,
    make: (w) => `truncate ${w.random.pick(['-s 0', '--size=5', '-s 3', '-s +1'])} ${w.t()}`,
  },
  { id: 'fallocate', on: 'file', make: (w) => `fallocate -l 300 ${w.t()}` },
  {
    id: 'sed -i',
    on: 'file',
    weight: 3,
    make: (w) =>
      `sed ${w.random.pick(['-i', '-i.bak', '--in-place', '-E -i', '-ni', '-s -i'])} ${w.random.pick(["-e '1s/^/x/p'", "'1s/^/x/p'", "'1d'", "'$a end'"])} ${w.t()}`,
  },
  { id: 'sed w', on: 'content', make: (w) => `sed -n ${single(`w ${w.literal()}`)} ${w.readme}` },
  { id: 'sed s///w', on: 'content', make: (w) => `echo x | sed ${single(`s/x/y/w ${w.literal()}`)}` },
  { id: 'sort -o', on: 'content', make: (w) => `sort ${w.random.pick(['-o ', '--output='])}${w.t()} ${w.readme}` },
  { id: 'sort in place', on: 'file', make: (w) => `sort -R -o ${w.t()} ${w.t()} ${w.readme}` },
  { id: 'shuf -o', on: 'content', make: (w) => `shuf -i 1-9 -o ${w.t()}` },
  { id: 'uniq', on: 'content', make: (w) => `uniq ${w.readme} ${w.t()}` },
  { id: 'split', on: 'into', make: (w) => `split -l 1 ${w.readme} ${w.t()}/part-` },
  { id: 'csplit', on: 'into', make: (w) => `csplit -s -f ${w.t()}/cut- ${w.readme} 2` },
  { id: 'iconv', on: 'content', make: (w) => `iconv -f utf8 -t latin1 -o ${w.t()} ${w.readme}` },
  { id: 'base64', on: 'content', make: (w) => `echo aGkK | base64 -d > ${w.t()}` },
  { id: 'openssl', on: 'content', make: (w) => `openssl base64 -in ${w.readme} -out ${w.t()}` },
  {
    id: 'curl',
    on: 'content',
    make: (w) => `curl -s ${w.random.pick(['-o ', '--output '])}${w.t()} file:///home/dev/shop/README.md`,
  },
  { id: 'patch', on: 'file', make: (w) => here(`patch -s ${w.t()} <<'EOF'\n@@ -0,0 +1 @@\n+new`) },
  { id: 'ed', on: 'file', make: (w) => `printf '1s/^/x/\\nw\\nq\\n' | ed -s ${w.t()}` },
  { id: 'rm', on: 'file', weight: 3, make: (w) => `rm ${w.random.pick(['', '-f ', '-rf ', '-v ', '-- '])}${w.t()}` },
  {
    id: 'rm dir',
    on: 'dir',
    weight: 2,
    make: (w) => `rm ${w.random.pick(['-r', '-rf', '-fR', '--recursive'])} ${w.t()}${w.random.pick(['', '/'])}`,
  },
  { id: 'rm glob', on: 'dir', make: (w) => `rm -rf ${w.t()}/*` },
  { id: 'unlink', on: 'file', make: (w) => `unlink ${w.t()}` },
  { id: 'shred', on: 'file', make: (w) => `shred ${w.random.pick(['', '-u '])}-n 1 ${w.t()}` },
  {
    id: 'chmod',
    on: 'file',
    weight: 2,
    make: (w) => `chmod ${w.random.pick(['600', '0777', 'a+x,g-r', 'go=', '-v 711'])} ${w.t()}`,
  },
  { id: 'chmod -R', on: 'dir', make: (w) => `chmod -R ${w.random.pick(['go-r', 'u+x', '700', 'a+X,g-r'])} ${w.t()}` },
  { id: 'chmod --reference', on: 'file', make: (w) => `chmod --reference=/bin/true ${w.t()}` },
  { id: 'touch', on: 'into', make: (w) => `touch ${w.t()}/touched` },
  { id: 'mkdir', on: 'into', make: (w) => `mkdir -p ${w.t()}/made/deep` },
  { id: 'mkfifo', on: 'into', make: (w) => `mkfifo ${w.t()}/pipe` },
  { id: 'mktemp', on: 'into', make: (w) => `mktemp ${w.t()}/tmp.XXXXXX` },
  { id: 'gzip', on: 'file', make: (w) => `${w.random.pick(['gzip', 'bzip2', 'xz'])} ${w.t()}` },
  { id: 'tar --remove-files', on: 'file', make: (w) => `tar --remove-files -cf /tmp/x.tar ${w.t()}` },
  { id: 'tar out', on: 'content', make: (w) => `tar -${w.random.pick(['cf', 'czf'])} ${w.t()} ${w.lib}` },
  {
    id: 'tar x',
    on: 'into',
    make: (w) => `tar -C ${w.lib} -cf - a.ts | tar -C ${w.t()} -x${w.random.pick(['f -', 'vf -', 'f /dev/stdin'])}`,
  },
  { id: 'zip -m', on: 'file', make: (w) => `zip -qm /tmp/x.zip ${w.t()}` },
  { id: 'unzip', on: 'into', make: (w) => `unzip -qo ${w.at('build/free.zip')} -d ${w.t()}` },
  {
    id: 'find -delete',
    on: 'dir',
    weight: 2,
    make: (w) => `find ${w.t()} ${w.random.pick(['-type f ', "-name '*' ", '-mindepth 1 '])}-delete`,
  },
  {
    id: 'find name',
    on: 'file',
    weight: 2,
    make: (w) =>
      `find ${w.random.pick(['.', 'src test config api lib tools data docs', '/home/dev/shop'])} -name ${single(w.base)} ${w.random.pick(['-delete', '-exec rm {} \\;', "-exec sed -i '1s/^/x/' {} +", '-exec truncate -s 1 {} \\;', '-ok rm {} \\;'])}`,
  },
  { id: 'find -exec sh', on: 'dir', make: (w) => `find ${w.t()} -type f -exec sh -c 'echo x >> "$1"' _ {} \\;` },
  {
    id: 'find -fprint',
    on: 'content',
    make: (w) => `find ${w.lib} -${w.random.pick(['fprint', 'fprint0', 'fls'])} ${w.t()}`,
  },
  {
    id: 'xargs rm',
    on: 'file',
    make: (w) => `printf '%s\\n' ${w.t()} | xargs ${w.random.pick(['', '-r ', '-n 1 ', "-d '\\n' "])}rm -f`,
  },
  {
    id: 'xargs -0',
    on: 'file',
    make: (w) =>
      `printf '%s\\0' ${w.t()} | xargs -0 ${w.random.pick(["sed -i '1s/^/x/'", 'truncate -s 1', 'chmod 600'])}`,
  },
  { id: 'xargs -I', on: 'content', make: (w) => `echo ${w.q(w.literal())} | xargs -I{} cp ${w.readme} {}` },
  { id: 'xargs sh', on: 'content', make: (w) => `echo ${w.q(w.literal())} | xargs -I% sh -c 'echo z > "%"'` },
  {
    id: 'find xargs',
    on: 'dir',
    make: (w) =>
      `find ${w.t()} -type f ${w.random.pick(['-print0 | xargs -0 rm', '| xargs rm', "| xargs sed -i '1s/^/x/'"])}`,
  },
  {
    id: 'grep -l xargs',
    on: 'dir',
    make: (w) => `grep -rl . ${w.t()} | xargs ${w.random.pick(['rm', "sed -i '1s/^/x/'"])}`,
  },
  { id: 'ls loop', on: 'dir', make: (w) => `for f in $(find ${w.t()} -type f); do echo x >> "$f"; done` },
  { id: 'glob loop', on: 'dir', make: (w) => `for f in ${w.t()}/*; do [ -f "$f" ] && echo x >> "$f"; done` },
  {
    id: 'while loop',
    on: 'dir',
    make: (w) =>
      `find ${w.t()} -type f | while read -r f; do ${w.random.pick(['rm "$f"', 'echo x > "$f"', 'chmod 600 "$f"'])}; done`,
  },
  {
    id: 'make',
    on: 'content',
    make: (w) => `printf 'all:\\n\\t@echo x > "%s"\\n' ${w.q(w.literal())} > /tmp/mk && make -sf /tmp/mk`,
  },
  {
    id: 'link then write',
    on: 'content',
    make: (w) =>
      `ln -s${w.random.pick(['', 'f'])} ${single(w.path.startsWith('/') ? w.path : `/home/dev/shop/${w.path}`)} /tmp/l1 && echo x > /tmp/l1`,
  },
  { id: 'hard link then write', on: 'file', make: (w) => `ln ${w.t()} ${w.lib}/hard && echo x >> ${w.lib}/hard` },
  {
    id: 'link dir then write',
    on: 'file',
    make: (w) =>
      `ln -s ${single(posix.dirname(w.path.startsWith('/') ? w.path : `/home/dev/shop/${w.path}`))} /tmp/l2; echo x > ${single(`/tmp/l2/${w.base}`)}`,
  },
  {
    id: 'copy link then write',
    on: 'file',
    make: (w) =>
      `ln -s ${single(w.path.startsWith('/') ? w.path : `/home/dev/shop/${w.path}`)} /tmp/l3; cp -P /tmp/l3 /tmp/l4; echo x > /tmp/l4`,
  },
  {
    id: 'select line',
    on: 'content',
    make: (w) => `mapfile -t lines < ${w.source()}; printf '%s\\n' "\${lines[@]}" > ${w.t()}`,
  },
  { id: 'awk out', on: 'content', make: (w) => `awk '{print > ${JSON.stringify(w.literal())}}' ${w.readme}` },
  { id: 'awk var', on: 'content', make: (w) => `awk -v f=${w.q(w.literal())} '{print >> f}' ${w.readme}` },
  { id: 'awk system', on: 'content', make: (w) => `awk 'BEGIN{system("echo x > \\"${w.literal()}\\"")}'` },
  { id: 'awk pipe', on: 'content', make: (w) => `awk '{print | "cat > \\"${w.literal()}\\""}' ${w.readme}` },
  {
    id: 'busybox',
    on: 'content',
    make: (w) =>
      `${w.random.pick(['nice ', 'env ', 'command ', 'nohup ', 'timeout 3 ', 'stdbuf -o0 ', 'env -u X ', 'setsid -w '])}${w.random.pick(['cp', 'install'])} ${w.temp()} ${w.t()}`,
  },
]

export const WRITERS: readonly Writer[] = [...REDIRECTS, ...PROGRAMS, ...CODE_WRITERS, ...GIT_WRITERS]
