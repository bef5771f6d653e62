import { expect, it } from 'vitest'
import { siteOf } from './site.ts'

it.each([
  ['a.b.evil.co.uk', 'evil.co.uk'],
  ['anything.evil.example:8443', 'evil.example'],
  ['someone.github.io', 'github.io'],
  ['127.0.0.1:8000', '127.0.0.1'],
  ['localhost', 'localhost'],
])('counts %s as one of %s', (domain, site) => expect(siteOf(domain)).toBe(site))
