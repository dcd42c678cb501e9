/** Clouds, clusters, containers: reading passes, applying is a change, deleting is a loss for everybody. */
import { textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { composeRun, dockerExec, dockerRun, kubectlExec } from '../prefixes/elsewhere.ts'
import type { Group } from '../registry.ts'
import { judgeSql } from '../sql.ts'
import { applyVerbs, type VerbProgram, verbReader } from '../verbs.ts'
import { CLOUD_READERS } from './clouds.ts'

const AWS: VerbProgram = {
  names: 'aws awslocal',
  options:
    '--profile: --region: --output: --query: --endpoint-url: --ca-bundle: --cli-input-json: --filters: --filter: --exclude: --include: --dryrun --recursive --delete',
  dry: '--dryrun --dry-run',
  verbs: [
    { words: '* help, * * help', act: 'none', why: 'help pages' },
    { words: 's3 rm', act: 'destroy', why: 'objects go' },
    { words: 's3 rb', act: 'destroy', why: 'the bucket goes' },
    { words: 's3 sync', act: 'destroy', flags: '--delete', why: 'objects that the source lacks go' },
    { words: 's3 mv', act: 'change', why: 'objects are moved' },
    { words: 's3 cp|sync', act: 'none', why: 'copies are judged by what they read and write' },
    {
      words: '* delete-*|terminate-*|deregister-*|purge-*|remove-*|destroy-*|batch-delete-*|schedule-key-deletion',
      act: 'destroy',
      why: 'resources go',
    },
    {
      words:
        '* create-*|put-*|update-*|modify-*|start-*|stop-*|reboot-*|run-*|attach-*|detach-*|associate-*|disassociate-*|restore-*|set-*|tag-*|untag-*|register-*|enable-*|disable-*|send-*|publish*|invoke*|deploy*|add-*|revoke-*|authorize-*|reset-*|rotate-*|copy-*|import-*',
      act: 'change',
      why: 'shared resources change',
    },
    { words: 'secretsmanager get-secret-value', act: 'reveal', why: 'prints a secret' },
    { words: 'ssm get-parameter|get-parameters', act: 'reveal', flags: '--with-decryption', why: 'prints a secret' },
    { words: 'sts get-session-token|assume-role|get-federation-token', act: 'reveal', why: 'prints credentials' },
    { words: 'configure get', act: 'reveal', why: 'prints credentials' },
    { words: 'cloudformation delete-stack', act: 'destroy', why: 'the stack goes' },
    { words: 'cloudformation deploy', act: 'change', why: 'the stack changes' },
  ],
  more(parsed) {
    const [service, verb, from, to] = parsed.operands
    if (textOf(service?.value) !== 's3' || !['cp', 'mv', 'sync'].includes(textOf(verb?.value) ?? '') || !from || !to)
      return []
    const remote = (arg: typeof from) => /^s3:\/\//.test(textOf(arg.value) ?? '')
    const tree = parsed.flags.has('--recursive') || textOf(verb!.value) === 'sync'
    if (remote(to) && !remote(from)) return [{ do: 'send', to: to.value, files: [from] }]
    if (remote(from) && !remote(to)) return [{ do: 'path', act: 'write', at: to, ...(tree ? { tree: true } : {}) }]
    return []
  },
}

const GCLOUD: VerbProgram = {
  names: 'gcloud gsutil bq',
  options: '--project: --format: --filter: --region: --zone: --account: --configuration: -p: -m -q --quiet',
  verbs: [
    { words: 'rm|rb', act: 'destroy', why: 'gsutil: objects or buckets go' },
    { words: 'rsync', act: 'destroy', flags: '-d', why: 'gsutil: objects that the source lacks go' },
    { words: 'cp|rsync|ls|cat|stat|du', act: 'none', why: 'gsutil: reading and copying' },
    { words: 'auth print-*', act: 'reveal', why: 'prints a token' },
    { words: 'secrets versions access', act: 'reveal', why: 'prints a secret' },
    ...['', '* ', '* * ', '* * * '].map((lead): VerbProgram['verbs'][number] => ({
      words: `${lead}delete|remove|destroy|purge|reset`,
      act: 'destroy',
      why: 'resources go',
    })),
    ...['', '* ', '* * '].map((lead): VerbProgram['verbs'][number] => ({
      words: `${lead}list|describe|get-*|info|read|search|config|help|versions|ssh`,
      act: 'none',
      why: 'reading',
    })),
    ...['* ', '* * ', '* * * '].map((lead): VerbProgram['verbs'][number] => ({
      words: `${lead}create|update|deploy|set-*|add-*|patch|enable|disable|start|stop|import|export|submit|apply|restart|resize`,
      act: 'change',
      why: 'shared resources change',
    })),
    { words: 'app|run|functions deploy', act: 'change', why: 'a deployment' },
  ],
}

const AZ: VerbProgram = {
  names: 'az',
  options: '-n|--name: -g|--resource-group: -o|--output: --query: --subscription: --yes|-y -l|--location:',
  verbs: [
    ...['', '* ', '* * ', '* * * '].map((lead): VerbProgram['verbs'][number] => ({
      words: `${lead}delete|purge|remove|delete-*`,
      act: 'destroy',
      why: 'resources go',
    })),
    { words: 'account get-access-token', act: 'reveal', why: 'prints a token' },
    { words: 'keyvault secret show|download', act: 'reveal', why: 'prints a secret' },
    ...['* ', '* * ', '* * * '].map((lead): VerbProgram['verbs'][number] => ({
      words: `${lead}create|update|set|start|stop|restart|deploy|assign|add|import|regenerate|renew|scale`,
      act: 'change',
      why: 'shared resources change',
    })),
  ],
}

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

const HELM: VerbProgram = {
  names: 'helm helmfile',
  options: '-n|--namespace: -f|--values:read --set: --kube-context: --version: --repo: -o|--output:',
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

const TERRAFORM: VerbProgram = {
  names: 'terraform tofu terragrunt',
  options: '-chdir: -target: -var: -var-file:read -state: -out: -lock-timeout: -parallelism:',
  single: true,
  verbs: [
    { words: 'destroy', act: 'destroy', safer: 'terraform plan -destroy', why: 'the infrastructure goes' },
    {
      words: 'apply, run-all apply',
      act: 'destroy',
      flags: '-destroy',
      safer: 'terraform plan -destroy',
      why: 'the infrastructure goes',
    },
    {
      words: 'apply, run-all apply',
      act: 'change',
      note: 'apply',
      safer: 'terraform plan',
      why: 'the infrastructure changes',
    },
    {
      words: 'run-all destroy',
      act: 'destroy',
      safer: 'terragrunt run-all plan -destroy',
      why: 'the infrastructure goes',
    },
    {
      words: 'state rm|mv|push|replace-provider',
      act: 'change',
      note: 'state',
      why: 'the record of the infrastructure changes; it can be imported again',
    },
    {
      words: 'taint|untaint|import|force-unlock|refresh',
      act: 'change',
      why: 'the record of the infrastructure changes',
    },
    { words: 'workspace delete', act: 'destroy', why: 'the workspace goes' },
  ],
}

const PULUMI: VerbProgram = {
  names: 'pulumi',
  options: '-s|--stack: -C|--cwd: -c|--config: -t|--target: -m|--message: -y|--yes',
  verbs: [
    { words: 'destroy|down', act: 'destroy', safer: 'pulumi destroy --preview-only', why: 'the infrastructure goes' },
    { words: 'stack rm', act: 'destroy', why: 'the stack goes' },
    {
      words: 'up|update|refresh|import|cancel',
      act: 'change',
      safer: 'pulumi preview --diff',
      why: 'the infrastructure changes',
    },
    { words: 'state delete|rename|unprotect|move', act: 'change', why: 'the record of the infrastructure changes' },
    { words: 'config', act: 'reveal', flags: '--show-secrets', why: 'prints secrets' },
  ],
}

const COMPOSE: VerbProgram = {
  names: 'docker-compose',
  service: 'compose',
  options: '-f|--file: -p|--project-name: --profile: --env-file: -v|--volumes --rmi: -t|--timeout: -e: --scale: -u:',
  verbs: [
    {
      words: 'down',
      act: 'destroy',
      local: true,
      flags: '-v',
      safer: 'docker compose down, which keeps the volumes',
      why: 'volumes of development services go',
    },
    { words: 'rm', act: 'destroy', local: true, flags: '-v', why: 'volumes of development services go' },
    {
      words: 'config|convert',
      act: 'reveal',
      note: 'config',
      unless: '--services --volumes --images -q --quiet --no-interpolate',
      why: 'prints the settings with secrets filled in',
    },
    { words: 'push', act: 'publish', why: 'images become public' },
  ],
}

const DOCKER: VerbProgram = {
  names: 'docker podman nerdctl',
  options: '-H|--host: --context: -f|--force -l|--log-level: -c: --config: -a|--all --volumes --filter: -t:',
  verbs: [
    {
      words: 'volume rm|prune',
      act: 'destroy',
      local: true,
      safer: 'docker volume ls',
      why: 'volumes hold data that exists nowhere else',
    },
    {
      words: 'system prune',
      act: 'destroy',
      local: true,
      flags: '--volumes',
      safer: 'docker system prune without --volumes',
      why: 'volumes go',
    },
    { words: 'push, image push', act: 'publish', why: 'an image becomes public' },
    { words: 'stack rm', act: 'destroy', why: 'services go' },
    { words: 'swarm leave, service|node|secret|config rm', act: 'destroy', why: 'services go' },
    { words: 'service update|create|scale', act: 'change', why: 'services change' },
    { words: 'stack deploy', act: 'change', why: 'services change' },
  ],
}

const composeReader: Reader = verbReader(COMPOSE)

function* docker(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(specify('-H|--host: --context: -l|--log-level: -c: --config: --url:'), call.args, {
    stop: true,
  })
  const words = textOf(head.operands[0]?.value) === 'container' ? head.operands.slice(1) : head.operands
  const verb = textOf(words[0]?.value)
  const rest = words.slice(1)
  if (verb === 'compose') return yield* compose({ ...call, args: rest })
  if (verb === 'run' || verb === 'create') return [...escapes(rest), ...dockerRun(call, rest)]
  if (verb === 'exec') return dockerExec(call, rest)
  if (verb === 'cp') return copyFrom(rest)
  return applyVerbs(DOCKER, call)
}

/** A container that gets the whole disk, writable, is the machine itself. */
function escapes(args: Invocation['args']): readonly Doing[] {
  const root = args.some((arg) =>
    /^(?:-v=?|--volume=)?\/:[^:]+(?::(?!.*\bro\b).*)?$|(?:source|src)=\/,/.test(textOf(arg.value) ?? ''),
  )
  const strong = args.some((arg) =>
    /^--(?:privileged(?:=true)?|pid=host|cap-add=(?:ALL|SYS_ADMIN))$/.test(textOf(arg.value) ?? ''),
  )
  return root && strong
    ? [
        {
          do: 'other',
          act: 'system',
          service: 'docker',
          what: 'a privileged container with the whole disk',
          note: 'escape',
        },
      ]
    : []
}

/** `docker cp box:/x here`, `docker cp here box:/x`. */
function copyFrom(args: Invocation['args']): readonly Doing[] {
  const [from, to] = parseArgs(specify('-a -L -q'), args).operands
  if (!from || !to) return []
  const inside = (text: string | undefined) => text !== undefined && /^[\w.-]+:/.test(text)
  return [
    ...(inside(textOf(from.value)) ? [] : [{ do: 'path', act: 'read', at: from } as const]),
    ...(inside(textOf(to.value)) ? [] : [{ do: 'path', act: 'write', at: to } as const]),
  ]
}

/** `docker compose exec box cmd` runs in the container; the rest are verbs. */
function* compose(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(
    specify('-f|--file: -p|--project-name: --profile: --env-file: --project-directory: --ansi: --progress:'),
    call.args,
    { stop: true },
  )
  const verb = textOf(head.operands[0]?.value)
  if (verb === 'exec') return dockerExec(call, head.operands.slice(1))
  if (verb === 'run') return composeRun(call, head.operands.slice(1))
  return yield* composeReader(call)
}

const kubernetes = verbReader(KUBECTL)

function* kubectl(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(
    specify('-n|--namespace: --context: --cluster: --kubeconfig: --user: -s|--server: --token:'),
    call.args,
    { stop: true },
  )
  if (textOf(head.operands[0]?.value) === 'exec') return kubectlExec(call, head.operands.slice(1))
  return yield* kubernetes(call)
}

/** Deployments and other services, each a few verbs. */
const SERVICES: readonly VerbProgram[] = [
  {
    names: 'vercel now',
    options: '--prod --token: -t: --scope: -S: -e: -b:',
    verbs: [
      { words: 'rm|remove', act: 'destroy', why: 'a deployment goes' },
      { words: 'env pull', act: 'reveal', why: 'writes secrets' },
      { words: 'deploy', act: 'publish', note: 'deploy', flags: '--prod', why: 'a production deployment' },
      { words: 'promote|rollback|alias|domains|dns', act: 'change', why: 'production changes' },
    ],
    // Without a verb it deploys.
    more: (parsed, call) =>
      parsed.operands.length === 0 && parsed.flags.has('--prod')
        ? [{ do: 'other', act: 'publish', service: call.base, what: 'deploy', note: 'deploy' }]
        : [],
  },
  {
    names: 'netlify ntl',
    options: '--dir: -d: --site: -s: --auth: --prod -p',
    verbs: [
      { words: 'sites:delete', act: 'destroy', why: 'the site goes' },
      { words: 'deploy', act: 'publish', note: 'deploy', flags: '--prod -p', why: 'a production deployment' },
    ],
  },
  {
    names: 'fly flyctl',
    options: '-a|--app: -c|--config: -r|--region: --image:',
    verbs: [
      {
        words: 'destroy',
        act: 'destroy',
        why: 'the app goes',
      },
      { words: 'apps|volumes|machine|machines|postgres destroy|delete', act: 'destroy', why: 'the app goes' },
      { words: 'deploy|scale|secrets', act: 'change', why: 'production changes' },
    ],
  },
  {
    names: 'heroku',
    options: '-a|--app: -r|--remote: --confirm:',
    verbs: [
      { words: 'apps:destroy|pg:reset|addons:destroy|apps:delete', act: 'destroy', why: 'the app or its data goes' },
      { words: 'config', act: 'reveal', why: 'prints secrets' },
      {
        words: 'config:set|config:unset|ps:scale|releases:rollback|maintenance:on',
        act: 'change',
        why: 'production changes',
      },
    ],
  },
  {
    names: 'wrangler',
    options: '-c|--config: -e|--env: --name: --command: --file:read --remote --local',
    verbs: [
      { words: 'delete', act: 'destroy', why: 'the worker goes' },
      { words: 'd1 execute', act: 'none', why: 'judged by its SQL' },
      {
        words: 'd1|r2|kv|kv:namespace|kv:key|r2:bucket|queues|pages|vectorize delete, r2|kv|pages * delete',
        act: 'destroy',
        why: 'data goes',
      },
      { words: 'deploy|publish', act: 'publish', note: 'deploy', why: 'a production deployment' },
    ],
    more(parsed) {
      if (textOf(parsed.operands[0]?.value) !== 'd1' || textOf(parsed.operands[1]?.value) !== 'execute') return []
      const local = parsed.flags.has('--local') || !parsed.flags.has('--remote')
      const name = textOf(parsed.operands[2]?.value) ?? 'd1'
      return (parsed.values.get('--command') ?? []).flatMap((arg): readonly Doing[] => {
        const sql = textOf(arg.value)
        if (sql !== undefined) return judgeSql(sql, { service: 'd1', name, local })
        return local ? [] : [{ do: 'code', language: 'sql', text: arg.value, label: `sql for ${name}` }]
      })
    },
  },
  {
    names: 'firebase',
    options: '-P|--project: --only: --token: -f|--force',
    verbs: [
      {
        words: 'firestore:delete|database:remove|hosting:disable|functions:delete',
        act: 'destroy',
        why: 'data or services go',
      },
      { words: 'deploy', act: 'publish', note: 'deploy', why: 'a production deployment' },
    ],
  },
  {
    names: 'ansible-playbook',
    options:
      '-i|--inventory: -e|--extra-vars: -l|--limit: -t|--tags: -u|--user: --vault-password-file: -C|--check --syntax-check --list-hosts --list-tasks',
    dry: '-C --syntax-check --list-hosts --list-tasks',
    verbs: [{ words: '*', act: 'change', why: 'hosts change' }],
  },
  {
    names: 'doctl',
    options: '-t|--access-token: -f|--force',
    verbs: [
      ...['', '* ', '* * '].map((lead) => ({
        words: `${lead}delete|rm|destroy`,
        act: 'destroy' as const,
        why: 'resources go',
      })),
    ],
  },
  {
    names: 'eksctl',
    options: '-f: --name: --region:',
    verbs: [
      { words: 'delete', act: 'destroy', why: 'the cluster goes' },
      { words: 'create|scale|upgrade|utils', act: 'change', why: 'the cluster changes' },
    ],
  },
  {
    names: 'vault',
    options: '-address: -namespace:',
    single: true,
    verbs: [
      { words: 'read', act: 'reveal', why: 'prints secrets' },
      { words: 'kv get', act: 'reveal', why: 'prints secrets' },
      { words: 'delete', act: 'destroy', why: 'secrets go' },
      { words: 'kv delete|destroy|metadata', act: 'destroy', why: 'secrets go' },
    ],
  },
  {
    names: 'consul etcdctl',
    options: '--endpoints:',
    verbs: [
      { words: 'del, kv delete', act: 'destroy', why: 'keys go' },
      { words: 'put, kv put', act: 'change', why: 'keys change' },
    ],
  },
  {
    names: 'serverless sls cdk sam',
    options: '--stage: -s: --region: -r: --profile: --stack-name:',
    verbs: [
      { words: 'remove|destroy|delete', act: 'destroy', why: 'the stack goes' },
      { words: 'deploy', act: 'change', why: 'the stack changes' },
    ],
  },
]

export const infra: Group = {
  id: 'infra',
  rows: [],
  readers: {
    ...CLOUD_READERS,
    'docker podman nerdctl': docker,
    'docker-compose podman-compose': compose,
    'kubectl oc': kubectl,
    ...Object.fromEntries(
      [AWS, GCLOUD, AZ, HELM, TERRAFORM, PULUMI, ...SERVICES].map((program) => [program.names, verbReader(program)]),
    ),
  },
}
