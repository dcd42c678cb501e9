/** Infrastructure as code: a plan passes, applying asks, destroying is a loss for everybody. */
import type { VerbProgram } from '../verbs.ts'

/** `terraform`, `tofu`, `terragrunt`. */
export const TERRAFORM: VerbProgram = {
  names: 'terraform tofu terragrunt',
  options: '-chdir: -target: -var: -var-file:read -state: -out:edit -lock-timeout: -parallelism:',
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

/** `pulumi`. */
export const PULUMI: VerbProgram = {
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
