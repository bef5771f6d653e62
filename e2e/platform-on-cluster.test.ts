import { FAULT_POINTS } from '@windlass/testing/fault-points.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusteredBusiness, slowly, startClusteredBusiness } from './clustered-business.ts'
import { type ClusteredStack, raiseClusteredStack } from './clustered-stack.ts'
import { askOnce, startLoad } from './load.ts'
import { countMade, oneAnchor } from './made-on-cluster.ts'

const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'
const wanted = process.env.MODE === 'cluster'

// npm run test:cluster
const stack = wanted ? await raiseClusteredStack() : 'it is not asked for'
if (wanted && typeof stack === 'string') console.warn(`SKIPPED: the platform on a cluster, because ${stack}`)

describe.skipIf(typeof stack === 'string')('the platform on three nodes', { timeout: 900_000 }, () => {
  if (typeof stack === 'string') return
  const { docker } = stack as ClusteredStack
  let business: ClusteredBusiness
  beforeAll(async () => {
    business = await startClusteredBusiness(stack)
  }, 900_000)
  afterAll(async () => {
    await business?.story.anchors.close()
    await stack.remove()
  }, 240_000)

  it.each(['control-plane', 'aggregator', 'platform-api', 'reverse-proxy', 'signer'])(
    'provisions and moves money while a copy of the %s is killed',
    async part => {
      const money = business.moveMoney()
      const { jobId } = await business.redeem()
      const [node = 1] = await business.nodesOf(`windlass_${part}`)
      await docker(['kill', ...(await business.containersOf(`windlass_${part}`, node))], node)
      await business.untilCompleted(jobId)
      await money.moves()
      await money.isExact()
    },
  )

  it('makes an anchor once where all control planes are killed at each point of provisioning in turn', async () => {
    const service = 'windlass_control-plane'
    await docker(['service', 'scale', '--detach', `${service}=0`])
    // Copies that ended earlier stay in the list.
    const copies = () => business.lines(['service', 'ps', '--format', '{{.CurrentState}}', service])
    const running = async () => (await copies()).filter(state => state.startsWith('Running'))
    await expect.poll(() => running().catch(String), slowly).toEqual([])
    const money = business.moveMoney()
    const { jobId, anchorId } = await business.redeem()
    const atOnce = ['--update-parallelism', '0', '--update-order', 'stop-first']
    const whateverEnds = ['--update-failure-action', 'continue']
    const killedAt = async (point: string) => {
      const ids = await business.lines(['service', 'ps', '--quiet', '--no-trunc', service])
      const code = '{{with .Status.ContainerStatus}}{{.ExitCode}}{{end}}'
      const format = `{{.Status.State}} ${code} {{json .Spec.ContainerSpec.Env}}`
      const copies = await business.lines(['inspect', '--type', 'task', '--format', format, ...ids])
      return copies.filter(copy => copy.startsWith('failed 137 ') && copy.includes(`"FAULT_POINT=${point}"`))
    }
    for (const point of FAULT_POINTS) {
      const change = ['--replicas', '3', '--env-add', `FAULT_POINT=${point}`, ...atOnce, ...whateverEnds]
      await docker(['service', 'update', '--detach', ...change, service])
      const killed = () => killedAt(point).then(copies => copies.length, String)
      await expect.poll(killed, slowly).toSatisfy(count => Number(count) > 0)
    }
    await money.moves()
    await stack.deploy()
    const job = await business.untilCompleted(jobId)
    const made = () => countMade(stack, business, { anchorId, job }).catch(String)
    await expect.poll(made, slowly).toEqual(oneAnchor(anchorId))
    await money.isExact()
  }, 1_500_000)

  it('replaces no part with a database where a migration fails, and continues once none does', async () => {
    const parts = ['signer', 'platform-api', 'control-plane', 'aggregator', 'secrets-store']
    // A service's own time also changes when an update that is long done is noted as complete.
    const running = ['service', 'ps', '--filter', 'desired-state=running', '--format', '{{.ID}} {{.Image}}']
    const listed = async () =>
      (await business.lines([...running, ...parts.map(part => `windlass_${part}`)])).toSorted()
    const before = await listed()
    expect(before.length).toBeGreaterThanOrEqual(2 * parts.length)
    const file = '/windlass/apps/signer/migrations/9999-fails.sql'
    const broken = await stack.makeNewer(`USER root\nRUN echo 'select nothing' >${file}\nUSER node\n`)
    await expect(stack.deploy(broken)).rejects.toThrow(/A database was not migrated.*windlass_migrations/)
    const ends = [
      'service',
      'ps',
      '--no-trunc',
      '--format',
      '{{.CurrentState}} {{.Error}}',
      'windlass_migrations',
    ]
    expect(await business.lines(ends)).toEqual([expect.stringMatching(/^Failed .*non-zero exit \(1\)/)])
    expect(await listed()).toEqual(before)
    expect(await stack.deploy()).toContain('every database is as this release needs it')
  })

  it('loses no request while the platform and an anchor are upgraded', async () => {
    const money = business.moveMoney()
    const onEachNode = ['--copies', 'reverse-proxy=3']
    await stack.deploy(undefined, onEachNode)
    expect((await business.nodesOf('windlass_reverse-proxy')).toSorted()).toEqual([1, 2, 3])
    const load = startLoad([...business.health, business.anchorUrl], { port: stack.port })
    const anchor = `name=windlass-${business.anchorId}`
    const format = '{{.Image}} {{.Replicas}}'
    const serving = async () => {
      const listed = await business.lines(['service', 'ls', '--format', format, '--filter', anchor])
      return listed.filter(line => line.endsWith(' 1/1'))
    }
    const [before] = await serving()
    await stack.deploy(await stack.makeNewer(), onEachNode)
    // By their content, whatever its tag.
    const newer = async () => (await serving()).filter(image => image !== before)
    await expect.poll(newer, { timeout: 400_000, interval: 2_000 }).toHaveLength(2)
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
    await money.isExact()
  })

  it('is reached over https behind Caddy, and loses no request there while it is upgraded', async () => {
    const edge = 2
    await stack.down()
    await docker(['node', 'update', '--label-add', 'windlass.edge=true', `node-${edge}`])
    await stack.deployBehindCaddy()
    const [caddy = ''] = await business.containersOf('windlass_caddy', edge)
    const ca = await docker(['exec', caddy, 'cat', AUTHORITY], edge)
    const at = { host: stack.cluster.host(edge), port: 443, ca }
    const names = ['api.localhost/health/live', 'aggregator.localhost/health/live', 'console.localhost/']
    const urls = [...names.map(name => `https://${name}`), business.anchorUrl.replace('http:', 'https:')]
    for (const url of urls) await expect.poll(() => askOnce(url, at), slowly).toBeNull()
    expect(await askOnce('https://nobody.localhost/', at)).not.toBeNull()
    const load = startLoad(urls, at)
    await stack.deployBehindCaddy(await stack.makeNewer())
    const { failures, sent } = await load.stop()
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(100)
  })
})
