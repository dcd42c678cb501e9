/** The three large clouds: reading passes, changing is a change, deleting is a loss for everybody. */
import { textOf } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import type { Parsed } from '../options.ts'
import type { VerbProgram } from '../verbs.ts'

/** `aws`; what a copy brings down or sends up is judged as paths. */
export const AWS: VerbProgram = {
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
    if (remote(to) && !remote(from))
      return [{ do: 'send', to: to.value, files: [from] }, ...(isSaid(parsed) ? [] : [uploads('aws', parsed)])]
    if (remote(from) && !remote(to)) return [{ do: 'path', act: 'write', at: to, ...(tree ? { tree: true } : {}) }]
    return []
  },
}

/** A row says it already, or nothing goes up. */
const isSaid = (parsed: Parsed): boolean =>
  parsed.flags.has('--dryrun') || parsed.flags.has('--delete') || textOf(parsed.operands[1]?.value) === 'mv'

/** What lies in a bucket is seen by whoever uses it. */
const uploads = (service: string, parsed: Parsed): Doing => ({
  do: 'other',
  act: 'change',
  service,
  what: parsed.operands.map((arg) => textOf(arg.value) ?? '…').join(' '),
  safer: 'the same with a dry run',
})

/** `gcloud`, `gsutil`, `bq`. */
export const GCLOUD: VerbProgram = {
  names: 'gcloud gsutil bq',
  options: '--project: --format: --filter: --region: --zone: --account: --configuration: -p: -m -q --quiet',
  verbs: [
    { words: 'rm|rb', act: 'destroy', why: 'gsutil: objects or buckets go' },
    { words: 'rsync', act: 'destroy', flags: '-d', why: 'gsutil: objects that the source lacks go' },
    { words: 'ls|cat|stat|du', act: 'none', why: 'gsutil: reading' },
    { words: 'cp|rsync|mv, storage cp|rsync|mv', act: 'none', why: 'copies are judged by where they go' },
    { words: 'storage rm', act: 'destroy', why: 'objects or buckets go' },
    {
      words: 'storage rsync',
      act: 'destroy',
      flags: '--delete-unmatched-destination-objects',
      why: 'objects that the source lacks go',
    },
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
  more(parsed, call) {
    const words = parsed.operands.map((arg) => textOf(arg.value))
    const verb = words.findIndex((word) => word === 'cp' || word === 'rsync' || word === 'mv')
    const [from, to] = parsed.operands.slice(verb + 1)
    const cloud = (arg: typeof from) => /^gs:\/\//.test(textOf(arg?.value) ?? '')
    if (verb < 0 || verb > 1 || !from || !to || parsed.flags.has('-n')) return []
    if (cloud(to) && !cloud(from)) {
      const said = parsed.flags.has('-d') || parsed.flags.has('--delete-unmatched-destination-objects')
      return [{ do: 'send', to: to.value, files: [from] }, ...(said ? [] : [uploads(call.base, parsed)])]
    }
    return cloud(from) && !cloud(to) ? [{ do: 'path', act: 'write', at: to }] : []
  },
}

/** `az`. */
export const AZ: VerbProgram = {
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
      words: `${lead}create|update|set|start|stop|restart|deploy|assign|add|import|regenerate|renew|scale|upload|upload-batch|sync`,
      act: 'change',
      why: 'shared resources change',
    })),
  ],
}
