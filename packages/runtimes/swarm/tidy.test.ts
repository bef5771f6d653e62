import type Docker from 'dockerode'
import { describe, expect, it } from 'vitest'
import { withDefinition } from './definition.ts'
import { createTidying, listServers } from './tidy.ts'

/** An engine that has these services and nothing else, and does at once what it is asked. */
function engineWith(...services: Docker.Service[]) {
  const changed: string[] = []
  const find = (id: string) => services.find(({ ID }) => ID === id)
  const engine = {
    listServices: async ({ filters }: { filters: { label: string[] } }) => {
      const [, value] = (filters.label[0] ?? '').split('=')
      return structuredClone(services.filter(each => value === undefined || anchorOf(each) === value))
    },
    getService: (id: string) => ({
      inspect: async () => structuredClone(find(id)),
      update: async ({ _body }: { _body: Docker.ServiceSpec }) => {
        changed.push(id)
        Object.assign(find(id) ?? {}, { Spec: _body })
      },
      remove: async () =>
        services.splice(
          services.findIndex(({ ID }) => ID === id),
          1,
        ),
    }),
    ...{ listSecrets: async () => [], listConfigs: async () => [] },
    ...{ listNetworks: async () => [], listTasks: async () => [] },
  } as unknown as Docker
  const tidying = createTidying(engine)
  const tidy = async (removed: Record<string, boolean> = {}) =>
    tidying(await listServers(engine), new Map(Object.entries(removed)))
  return { tidy, changed, services }
}

const anchorOf = ({ Spec }: Docker.Service) => Spec?.Labels?.['windlass.anchor']

function server(anchorId: string, role: string, replicas = 1) {
  const Mode = { Replicated: { Replicas: replicas } }
  const Spec = withDefinition({
    Labels: { 'windlass.anchor': anchorId },
    TaskTemplate: { ContainerSpec: { Image: 'as-made' } },
    Mode: { Replicated: { Replicas: 1 } },
  })
  return { ID: `${anchorId}-${role}`, Spec: { ...Spec, Mode } } as Docker.Service
}

const edited = (service: Docker.Service) =>
  ({
    ...service,
    Spec: { ...service.Spec, TaskTemplate: { ContainerSpec: { Image: 'another' } } },
  }) as Docker.Service

describe('the tidying of a cluster', () => {
  it('leaves servers that are as they were made', async () => {
    const { tidy, changed } = engineWith(server('a', 'sep'), server('a', 'business', 0))
    await tidy()
    expect(changed).toEqual([])
  })

  it('makes an edited or scaled one as it was, asleep or awake', async () => {
    const [awake, asleep, scaled] = [server('a', 'sep'), server('b', 'sep', 0), server('c', 'sep', 3)]
    const { tidy, services } = engineWith(edited(awake), edited(asleep), scaled)
    await tidy()
    expect(services).toEqual([awake, asleep, server('c', 'sep')])
  })

  it('leaves an edited one whose definition did not start', async () => {
    const back = Object.assign(edited(server('a', 'sep')), { UpdateStatus: { State: 'rollback_completed' } })
    const { tidy, changed } = engineWith(back)
    await tidy()
    expect(changed).toEqual([])
  })

  it('stops servers of removed anchors, then removes them, and no others', async () => {
    const other = server('b', 'sep')
    const { tidy, services } = engineWith(server('a', 'sep'), server('a', 'business', 0), other)
    await tidy({ a: true, b: false })
    expect(services).toEqual([server('a', 'sep', 0), server('a', 'business', 0), other])
    await tidy({ b: false })
    expect(services).toHaveLength(3)
    await tidy({ a: true })
    expect(services).toEqual([other])
  })
})
