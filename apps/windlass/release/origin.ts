interface Source {
  /** Null where nobody named one. */
  repository: string | null
  commit: string
  lockfileSha256: string
  /** As `v24.1.0`. */
  node: string
}

/**
 * Says of which commit and lockfile the files of a release were made, as an in-toto statement with SLSA's predicate
 * (https://slsa.dev/spec/v1.0/provenance). Nobody has signed it: npm and GitHub sign their own where they publish.
 *
 * @param files names, with SHA-256 in hex
 */
export const originOf = (files: readonly { name: string; sha256: string }[], source: Source): object => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://github.com/windlass/windlass/blob/main/docs/guides/releases.md',
      externalParameters: { repository: source.repository },
      internalParameters: { node: source.node },
      resolvedDependencies: [
        { uri: `git+${source.repository ?? 'file:.'}`, digest: { gitCommit: source.commit } },
        { uri: 'package-lock.json', digest: { sha256: source.lockfileSha256 } },
      ],
    },
    runDetails: { builder: { id: 'npm run release' } },
  },
})
