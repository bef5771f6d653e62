import { appendFileSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BankAnchor, camt053 } from '../testing/bank-anchor.ts'
import { createFolderReader, movePlain, readPlain } from './folder.ts'

let anchor: BankAnchor
beforeAll(async () => {
  anchor = await BankAnchor.start()
})
afterAll(() => anchor.close())

it('files in a folder are read once nobody writes to them any more, and moved with the reason if they are refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const round = createFolderReader(anchor.deps, folder)
  await round()
  await writeFile(join(folder, 'SEPA', 'good.xml'), camt053([{ amount: '7.77', bankReference: 'D1' }]))
  await writeFile(join(folder, 'SEPA', 'bad.xml'), 'growing')
  await round()
  await writeFile(join(folder, 'SEPA', 'bad.xml'), '<Document><grown/>')
  await round()
  expect(await readdir(join(folder, 'SEPA'))).toEqual(['bad.xml', 'read'])
  await round()
  expect(await readdir(join(folder, 'SEPA', 'read'))).toEqual(['good.xml'])
  expect((await readdir(join(folder, 'SEPA', 'refused'))).sort()).toEqual(['bad.xml', 'bad.xml.reason.txt'])
  expect(
    await anchor.rows('select by, new_lines from bank_statements where file_name = $1', ['good.xml']),
  ).toEqual([{ by: 'folder', new_lines: 1 }])
  await rm(folder, { recursive: true })
})

it('a link in a folder is not followed, also where it takes the place of a file that was seen before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const round = createFolderReader(anchor.deps, folder)
  await mkdir(join(folder, 'SEPA'))
  await writeFile(join(folder, 'private.xml'), camt053([{ amount: '7.77', bankReference: 'private' }]))
  await symlink(join(folder, 'private.xml'), join(folder, 'SEPA', 'linked.xml'))
  await round()
  await round()
  expect(await readdir(join(folder, 'SEPA'))).toEqual(['linked.xml'])
  await expect(readPlain(join(folder, 'SEPA', 'linked.xml'))).rejects.toThrow('ELOOP')
  await rm(folder, { recursive: true })
})

it('a bank’s sender reaches no other bank’s folder, neither by a link nor by a second name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const round = createFolderReader(anchor.deps, folder)
  const [own, other] = [join(folder, 'SEPA'), join(folder, 'OTHER')]
  await Promise.all([mkdir(own), mkdir(other)])
  await symlink(other, join(own, 'refused'))
  await writeFile(join(own, 'forged.xml'), 'not a statement')
  await round()
  await expect(round()).rejects.toThrow()
  expect(await readdir(other)).toEqual([])
  await rm(join(own, 'refused'))
  await writeFile(join(other, 'private.xml'), camt053([{ amount: '7.77', bankReference: 'other' }]))
  await link(join(other, 'private.xml'), join(own, 'second.xml'))
  await round()
  await round()
  expect((await readdir(join(own, 'refused'))).sort()).toEqual(
    ['forged.xml', 'second.xml'].flatMap(name => [name, `${name}.reason.txt`]),
  )
  expect(await readdir(other)).toEqual(['private.xml'])
  expect(await anchor.rows('select id from bank_statements where file_name = $1', ['second.xml'])).toEqual([])
  await rm(folder, { recursive: true })
})

it('a link in the place of a reason is not followed, and one that was moved instead of a file is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const round = createFolderReader(anchor.deps, folder)
  const [own, refused, secret] = [
    join(folder, 'SEPA'),
    join(folder, 'SEPA', 'refused'),
    join(folder, 'private'),
  ]
  await mkdir(refused, { recursive: true })
  await writeFile(secret, 'private')
  await symlink(secret, join(refused, 'x.reason.txt'))
  await writeFile(join(own, 'x'), 'not a statement')
  await round()
  await round()
  expect(await readFile(secret, 'utf8')).toBe('private')
  expect((await readdir(refused)).sort()).toEqual(['x', 'x.reason.txt'])
  expect(await readFile(join(refused, 'x.reason.txt'), 'utf8')).not.toBe('private')

  await symlink(secret, join(own, 'y'))
  await expect(movePlain(join(own, 'y'), join(refused, 'y'))).rejects.toThrow('no plain file')
  expect((await readdir(refused)).sort()).toEqual(['x', 'x.reason.txt'])
  expect(await readFile(secret, 'utf8')).toBe('private')
  await rm(folder, { recursive: true })
})

it('a file in a folder that cannot be moved keeps no other one waiting, and is tried again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const round = createFolderReader(anchor.deps, folder)
  const inTheWay = join(folder, 'SEPA', 'read', 'a.xml')
  await mkdir(inTheWay, { recursive: true })
  for (const name of ['a.xml', 'b.xml'])
    await writeFile(join(folder, 'SEPA', name), camt053([{ amount: '7.77', bankReference: name }]))
  await round()
  await expect(round()).rejects.toThrow('EISDIR')
  expect(await readdir(join(folder, 'SEPA'))).toEqual(['a.xml', 'read'])
  await rm(inTheWay, { recursive: true })
  await round()
  expect(await readdir(join(folder, 'SEPA'))).toEqual(['read'])
  expect((await readdir(join(folder, 'SEPA', 'read'))).sort()).toEqual(['a.xml', 'b.xml'])
  await rm(folder, { recursive: true })
})

it('a file that grows while it is read is refused, and no more of it is read than a statement may have', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'))
  const path = join(folder, 'growing.csv')
  const part = Buffer.alloc(1_000_000)
  for (const [before, during] of [
    [0, 40],
    [25, 0],
  ] as const) {
    await writeFile(path, Buffer.alloc(before * part.length + 1))
    const reading = readPlain(path)
    for (let left = during; left > 0; left--) appendFileSync(path, part)
    await expect(reading).rejects.toThrow('The file has more than 24000000 bytes')
  }
  await writeFile(path, 'whole')
  expect(String(await readPlain(path))).toBe('whole')
  await rm(folder, { recursive: true })
})
