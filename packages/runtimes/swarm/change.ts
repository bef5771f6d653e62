import type Docker from 'dockerode'

const TRIES = 10

/** Changes a service. Another control plane, or the cluster itself, may be changing it too. */
export async function changeService(
  engine: Docker,
  id: string,
  next: (spec: Docker.ServiceSpec) => Docker.ServiceSpec,
): Promise<void> {
  const service = engine.getService(id)
  for (let tries = 1; ; tries++) {
    const { Spec, Version } = (await service.inspect()) as Docker.Service
    try {
      await service.update({ _query: { version: Version?.Index }, _body: next(Spec ?? {}) })
      return
    } catch (error) {
      // oxlint-disable-next-line compared-sentences/by-codes -- the engine gives no code.
      const outdated = error instanceof Error && error.message.includes('out of sequence')
      if (!outdated || tries === TRIES) throw error
    }
  }
}

export const scaledTo =
  (Replicas: number) =>
  (spec: Docker.ServiceSpec): Docker.ServiceSpec => ({ ...spec, Mode: { Replicated: { Replicas } } })
