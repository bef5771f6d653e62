const message =
  'Folders above it that are missing get this mode, too. Use makePrivateFolder of @windlass/service.'

const closing =
  'CallExpression:matches([callee.name=/^mkdir(Sync)?$/], [callee.property.name=/^mkdir(Sync)?$/]):has(Property[key.name="recursive"]):has(Property[key.name="mode"])'

/** A rule for oxlint: a recursive `mkdir` has no mode, which would close folders that others use. */
export default {
  meta: { name: 'open-parents' },
  rules: {
    'without-mode': {
      create: context => ({ [closing]: node => context.report({ node, message }) }),
    },
  },
}
