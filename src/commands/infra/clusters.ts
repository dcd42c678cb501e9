/** Clusters: objects that are deleted are gone for everybody who uses them. */
import { textOf } from '../../core/value.ts'
import type { Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { kubectlExec } from '../prefixes/elsewhere.ts'
import { type VerbProgram, verbReader } from '../verbs.ts'

const KUBECTL: VerbProgram = {
  names: 'kubectl oc',
  service: 'kubernetes',
  options:
    '-n|--namespace: -f|--filename:read --context: --cluster: --kubeconfig: -l|--selector: -o|--output: -c|--container: --dry-run? -k|--kustomize: --field-selector: -p|--patch: --type: --token: -s|--server: --grace-period: --timeout: --user: --as:',
  dry: '--dry-run=client --dry-run=server --dry-run=true',
  verbs: [
    {
      words: 'delete|drain',
      act: 'destroy',
      safer: 'kubectl get, or the same with --dry-run=server',
      why: 'objects go',
    },
    { words: 'replace', act: 'destroy', flags: '--force', why: 'objects are deleted and made anew' },
    { words: 'apply', act: 'destroy', flags: '--prune', safer: 'kubectl diff', why: 'objects that the files lack go' },
    {
      words:
        'apply|create|replace|patch|edit|scale|autoscale|set|label|annotate|taint|cordon|uncordon|expose|run|cp|certificate',
      act: 'change',
      safer: 'kubectl diff, or the same with --dry-run=server',
      why: 'the cluster changes',
    },
    { words: 'rollout undo|restart|pause|resume', act: 'change', why: 'the cluster changes' },
    { words: 'config view', act: 'reveal', flags: '--raw', why: 'prints credentials' },
    { words: 'get secret|secrets', act: 'reveal', flags: '-o', unless: '-o=name -o=wide', why: 'prints secrets' },
  ],
}

/** `helm`, `helmfile`. */
export const HELM: VerbProgram = {
  names: 'helm helmfile',
  options:
    '-n|--namespace: -f|--values:read --set: --kube-context: --version: --repo: -o|--output: --output-dir:into -d|--destination:into',
  dry: '--dry-run',
  verbs: [
    {
      words: 'uninstall|delete|del|un|destroy',
      act: 'destroy',
      safer: 'helm uninstall --dry-run',
      why: 'the release goes',
    },
    {
      words: 'install|upgrade|rollback|apply|sync',
      act: 'change',
      safer: 'helm template, or the same with --dry-run',
      why: 'the cluster changes',
    },
    { words: 'push', act: 'publish', why: 'a chart becomes public' },
  ],
}

const kubernetes = verbReader(KUBECTL)

/** `kubectl exec` runs in a pod; the rest are verbs. */
export function* kubectl(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(
    specify('-n|--namespace: --context: --cluster: --kubeconfig: --user: -s|--server: --token:'),
    call.args,
    { stop: true },
  )
  if (textOf(head.operands[0]?.value) === 'exec') return kubectlExec(call, head.operands.slice(1))
  return yield* kubernetes(call)
}
