import type Docker from 'dockerode'
import { describe, expect, it } from 'vitest'
import { asMade, isEdited, withDefinition } from './definition.ts'

type Spec = Docker.ServiceSpec & { TaskTemplate: Docker.ContainerTaskSpec }

const made = withDefinition({
  Name: 'windlass-a-sep',
  Labels: { 'windlass.anchor': 'a' },
  TaskTemplate: {
    ContainerSpec: {
      Image: 'registry/windlass@sha256:1',
      Env: ['COLOUR=blue', 'PORT=4101'],
      CapabilityAdd: [],
      Configs: [],
      HealthCheck: { Test: ['CMD', 'true'], Retries: 3, StartInterval: 1 } as Docker.HealthConfig,
      Privileges: { NoNewPrivileges: true } as Docker.Privileges,
      Mounts: [{ Type: 'tmpfs', Source: '', Target: '/tmp' }],
      Secrets: [{ SecretID: 's1', SecretName: 's' }],
    },
    Resources: { Limits: { MemoryBytes: 100 } },
    Placement: { Constraints: [] },
    Networks: [{ Target: 'n1' }, { Target: 'n2' }],
  },
  Mode: { Replicated: { Replicas: 1 } },
  UpdateConfig: { Parallelism: 1, Order: 'stop-first', FailureAction: 'rollback' },
  EndpointSpec: { Mode: 'dnsrr', Ports: [] },
}) as Spec

/** As an engine that knows neither an interval of checks at the start nor privileges of one service says it. */
const stored = (): Spec => {
  const spec = structuredClone(made)
  const task = spec.TaskTemplate
  Object.assign(spec, { EndpointSpec: { Mode: 'dnsrr' }, Mode: { Replicated: { Replicas: 0 } } })
  Object.assign(spec.UpdateConfig ?? {}, { MaxFailureRatio: 0 })
  Object.assign(task, { Placement: {}, ForceUpdate: 2, Runtime: 'container' })
  task.Networks = [{ Target: 'n2' }, { Target: 'n1' }]
  const {
    CapabilityAdd: _,
    Configs: __,
    Privileges: ___,
    HealthCheck: ____,
    ...container
  } = task.ContainerSpec ?? {}
  const Healthcheck = { Test: ['CMD', 'true'], Retries: 3 }
  task.ContainerSpec = {
    ...{ ...container, Healthcheck },
    Env: ['PORT=4101', 'COLOUR=blue'],
    Mounts: [{ Type: 'tmpfs', Target: '/tmp' } as Docker.MountSettings],
    Isolation: 'default',
  }
  return spec
}

const service = (change: (spec: Spec) => void = () => undefined) => {
  const Spec = stored()
  change(Spec)
  return { Spec } as Docker.Service
}

describe('a service', () => {
  it('is as it was made whatever an engine fills in, leaves out or sorts', () => {
    expect(isEdited(service())).toBe(false)
  })

  it.each<[string, (spec: Spec) => void]>([
    ['memory', ({ TaskTemplate }) => (TaskTemplate.Resources = {})],
    ['environment', ({ TaskTemplate }) => TaskTemplate.ContainerSpec?.Env?.push('MORE=1')],
    ['image', ({ TaskTemplate }) => Object.assign(TaskTemplate.ContainerSpec ?? {}, { Image: 'other' })],
    ['network', ({ TaskTemplate }) => TaskTemplate.Networks?.pop()],
    [
      'secret',
      ({ TaskTemplate }) => Object.assign(TaskTemplate.ContainerSpec?.Secrets?.[0] ?? {}, { SecretID: 's2' }),
    ],
    [
      'capability',
      ({ TaskTemplate }) => Object.assign(TaskTemplate.ContainerSpec ?? {}, { CapabilityAdd: ['ALL'] }),
    ],
    ['placement', ({ TaskTemplate }) => (TaskTemplate.Placement = { Constraints: ['node.role==worker'] })],
    [
      'health check',
      ({ TaskTemplate }) => Object.assign(TaskTemplate.ContainerSpec ?? {}, { Healthcheck: null }),
    ],
    [
      'update policy',
      spec => (spec.UpdateConfig = { Parallelism: 1, Order: 'start-first', FailureAction: 'rollback' }),
    ],
    ['published port', spec => (spec.EndpointSpec = { Mode: 'dnsrr', Ports: [{ TargetPort: 4101 }] })],
    ['label', spec => delete spec.Labels?.['windlass.anchor']],
  ])('whose %s someone changed is made as it was, with the replicas it has', (_, change) => {
    const edited = service(change)
    expect(isEdited(edited)).toBe(true)
    expect(asMade()(edited.Spec ?? {})).toEqual({ ...made, Mode: { Replicated: { Replicas: 0 } } })
    expect(asMade(1)(edited.Spec ?? {})).toEqual(made)
  })

  it('that does not say what it was made from is left as it is, scaled alone', () => {
    const labels: Record<string, string>[] = [{}, { 'windlass.definition': 'not a definition' }]
    for (const Labels of labels) {
      const other = { Labels }
      expect(isEdited({ Spec: other } as Docker.Service)).toBe(false)
      expect(asMade(1)(other)).toEqual({ ...other, Mode: { Replicated: { Replicas: 1 } } })
    }
  })
})
