/** Clouds, clusters, containers: reading passes, applying is a change, deleting is a loss for everybody. */
import { AWS, AZ, GCLOUD } from '../infra/clouds.ts'
import { HELM, kubectl } from '../infra/clusters.ts'
import { compose, docker } from '../infra/containers.ts'
import { SERVICES } from '../infra/services.ts'
import { PULUMI, TERRAFORM } from '../infra/stacks.ts'
import type { Group } from '../registry.ts'
import { verbReader } from '../verbs.ts'
import { CLOUD_READERS } from './clouds.ts'

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
