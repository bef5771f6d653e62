import { describe, expect, it, vi } from 'vitest'
import { makeDatabases, migrate, protectAuditLog } from './one-off.ts'

/** A manager: which of its services there are, and what it says of the runs of one each time it is asked. */
function managerWith(services: readonly string[], ...runs: string[]) {
  const there = new Set(services)
  const changes: string[] = []
  const ask = async (...args: string[]) => {
    const [, act = ''] = args
    if (act === 'ls') return [...there].join('\n')
    if (act === 'ps') return (runs.length > 1 ? runs.shift() : runs[0]) ?? ''
    changes.push(args.join(' '))
    if (act === 'rm') there.delete(args.at(-1) ?? '')
    return ''
  }
  const deploy = async () => {
    changes.push('deploy')
    there.add('windlass_migrations')
  }
  return { ask, deploy, changes }
}

const progress = { done: vi.fn() } as unknown as Parameters<typeof migrate>[2]

describe('the migrations of a cluster', () => {
  it('are deployed and waited for', async () => {
    const runs = ['', 'm1 Running Running', 'm1 Shutdown Complete now']
    const { ask, deploy, changes } = managerWith([], ...runs)
    expect(await migrate(ask, deploy, progress)).toEqual([])
    expect(changes).toEqual(['deploy'])
  })

  it('that fail, or whose node is lost, say what to do', async () => {
    for (const end of ['Failed 2 seconds ago', 'Rejected now', 'Running 5 minutes ago']) {
      const { ask, deploy } = managerWith([], `m1 Shutdown ${end}`)
      const said = await migrate(ask, deploy, progress)
      expect(said).toEqual([
        expect.stringMatching(/not migrated.* docker service logs windlass_migrations.*again/),
      ])
    }
  })

  it('of an earlier try end before they begin again', async () => {
    const runs = ['m1 Running Running', 'm1 Shutdown Failed', 'm2 Shutdown Complete']
    const { ask, deploy, changes } = managerWith(['windlass_migrations'], ...runs)
    expect(await migrate(ask, deploy, progress)).toEqual([])
    expect(changes).toEqual(['service rm windlass_migrations', 'deploy'])
  })
})

describe('the databases of a cluster', () => {
  it('are waited for, also where the first try came before Postgres', async () => {
    const runs = [
      'd2 Ready Ready now\nd1 Shutdown Failed now',
      'd2 Shutdown Complete now\nd1 Shutdown Failed',
    ]
    expect(await makeDatabases(managerWith(['windlass_databases'], ...runs).ask)).toEqual([])
    expect(await makeDatabases(managerWith(['windlass_other']).ask)).toEqual([])
  })

  it('have an audit log with an owner of its own once another run has ended', async () => {
    const [old, running, over] = ['d1 Shutdown Complete', 'd2 Running Running\n', 'd2 Shutdown Complete\n']
    const { ask, changes } = managerWith(
      ['windlass_databases'],
      old,
      old,
      `${running}${old}`,
      `${over}${old}`,
    )
    expect(await protectAuditLog(ask, progress)).toEqual([])
    expect(changes).toEqual(['service update --detach --force windlass_databases'])
  })
})
