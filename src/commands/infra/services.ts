/** Deployments and other services, each a few verbs. */
import { textOf } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import { judgeSql } from '../sql.ts'
import type { VerbProgram } from '../verbs.ts'

/** Programs of one service each. */
export const SERVICES: readonly VerbProgram[] = [
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
