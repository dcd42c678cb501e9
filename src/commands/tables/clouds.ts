/**
 * Clouds, queues, stores and clusters whose programs are all of a kind: a few nouns, then a verb. Deleting is a loss for
 * everybody, changing is a change.
 */
import { type VerbProgram, verbReader } from '../verbs.ts'

interface Cloud {
  readonly names: string
  /** Words with which something goes for good, and words that change something, in the notation of `verbs.ts`. */
  readonly destroys: string
  readonly changes?: string
  readonly options?: string
  readonly local?: true
  readonly single?: true
  readonly why: string
}

const GOES = 'delete|destroy|rm|remove|del|purge|terminate'
const CHANGES =
  'create|update|set|add|start|stop|restart|reboot|resize|scale|deploy|apply|patch|enable|disable|attach|detach'

const CLOUDS: readonly Cloud[] = [
  {
    names: 'hcloud linode-cli vultr-cli scw civo upctl exo ibmcloud oci openstack nova aliyun tccli yc ovhcloud',
    destroys: GOES,
    changes: CHANGES,
    why: 'machines, disks and networks of a provider',
  },
  {
    names: 'render koyeb',
    destroys: `${GOES}|down`,
    changes: `${CHANGES}|up|redeploy`,
    why: 'hosted services',
  },
  { names: 'neonctl neon pscale turso planetscale', destroys: GOES, changes: CHANGES, why: 'hosted databases' },
  { names: 'atlas mongocli', destroys: GOES, changes: CHANGES, why: 'MongoDB Atlas' },
  { names: 'auth0 okta', destroys: GOES, changes: CHANGES, why: 'identities' },
  { names: 'nats', destroys: `${GOES}|rmm`, changes: `${CHANGES}|edit|pub|publish`, why: 'streams and consumers' },
  {
    names: 'rabbitmqadmin rabbitmqctl',
    destroys: `${GOES}|delete_*|purge_queue|reset|force_reset|clear_*`,
    changes: 'declare|publish|set_*|add_*|change_*|stop_app|start_app|stop',
    why: 'queues and what waits in them',
  },
  {
    names: 'argocd flux linkerd istioctl cilium velero',
    destroys: `${GOES}|uninstall`,
    changes: `${CHANGES}|sync|install|reconcile|suspend|resume|rollback`,
    why: 'what runs in a cluster',
  },
  {
    names: 'nomad',
    destroys: 'stop|purge|delete|gc',
    changes: 'run|dispatch|scale|restart|revert',
    why: 'jobs of a cluster',
  },
  {
    names: 'mc s3cmd b2 azcopy s5cmd gh-s3',
    destroys: 'rm|rb|del|delete|remove|delete-*|rmdir|batch-delete',
    changes: 'mb|policy|anonymous|mirror|sync|mv|ilm|replicate',
    options: '--recursive -r --force --config: -c: --profile:',
    why: 'objects in stores',
  },
  { names: 'juju', destroys: 'destroy-*|remove-*|kill-*', changes: 'deploy|upgrade-*|config|add-*|run', why: 'models' },
  {
    names: 'dokku',
    destroys: '*:destroy|*:delete|apps:destroy',
    changes: '*:set|*:create|ps:*',
    why: 'apps of a host',
  },
  {
    names: 'cf',
    destroys: 'delete|delete-*|purge-*',
    changes: 'push|scale|restart|restage|set-*|create-*',
    why: 'Cloud Foundry',
  },
  {
    names: 'k3d kind minikube microk8s colima multipass',
    destroys: 'delete|purge|reset|rm',
    local: true,
    why: 'clusters and machines on this one',
  },
  {
    names: 'virsh',
    local: true,
    destroys: 'undefine|destroy|vol-delete|pool-delete|vol-wipe',
    why: 'virtual machines',
  },
  { names: 'qm pct', destroys: 'destroy|delsnapshot', changes: 'set|start|stop|rollback|migrate', why: 'Proxmox' },
]

const LEADS = ['', '* ', '* * ', '* * * ']

const programOf = ({ names, destroys, changes, options, local, single, why }: Cloud): VerbProgram => ({
  names,
  options:
    options ??
    '-n|--name: -p|--project: -o|--output: -r|--region: --format: --context: --profile: -q -y|--yes|--force|-f',
  ...(single ? { single } : {}),
  verbs: [
    ...['', '* ', '* * '].map(
      (lead) => ({ words: `${lead}list|ls|show|get|describe|info|help|status`, act: 'none', why: 'reading' }) as const,
    ),
    ...LEADS.map(
      (lead) => ({ words: `${lead}${destroys}`, act: 'destroy', ...(local ? { local } : {}), why }) as const,
    ),
    ...(changes === undefined
      ? []
      : LEADS.slice(0, 3).map((lead) => ({ words: `${lead}${changes}`, act: 'change', why }) as const)),
  ],
})

/** Programs of Kafka: what they do stands in an option. */
const KAFKA: VerbProgram = {
  names:
    'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-delete-records kafka-delete-records.sh',
  options:
    '--topic: --bootstrap-server: --group: --zookeeper: --command-config: --offset-json-file: --delete --alter --create --reset-offsets --execute',
  verbs: [],
  more: (parsed, call) => {
    const does =
      parsed.flags.has('--delete') || /delete-records/.test(call.base)
        ? 'destroy'
        : ['--alter', '--create', '--execute'].some((flag) => parsed.flags.has(flag))
          ? 'change'
          : undefined
    return does === undefined ? [] : [{ do: 'other', act: does, service: 'kafka', what: call.base }]
  },
}

export const CLOUD_READERS = Object.fromEntries(
  [...CLOUDS.map(programOf), KAFKA].map((program) => [program.names, verbReader(program)]),
)
