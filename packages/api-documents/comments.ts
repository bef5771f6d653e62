import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** The doc comment of a value, and those of its members by name. */
export interface Comments {
  text?: string
  members: Map<string, Comments>
}

/**
 * The doc comments of a file's constants, at any depth: what a contract says of an endpoint or a field for its reader is
 * also what its document says. Constants of other files are followed through imports.
 */
export function readComments(file: string): Map<string, Comments> {
  const found = new Map<string, Comments>()
  for (const name of open(file).constants.keys()) found.set(name, commentsOf(file, name))
  return found
}

interface Source {
  constants: Map<string, ts.VariableDeclaration>
  imports: Map<string, { file: string; name: string }>
}

const sources = new Map<string, Source>()

function open(file: string): Source {
  const known = sources.get(file)
  if (known) return known
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const source: Source = { constants: new Map(), imports: new Map() }
  for (const statement of tree.statements) {
    if (ts.isVariableStatement(statement))
      for (const each of statement.declarationList.declarations)
        source.constants.set(each.name.getText(), each)
    if (ts.isImportDeclaration(statement)) addImports(source, statement, file)
  }
  sources.set(file, source)
  return source
}

function addImports(source: Source, statement: ts.ImportDeclaration, file: string): void {
  const from = (statement.moduleSpecifier as ts.StringLiteral).text
  const names = statement.importClause?.namedBindings
  if (!from.startsWith('.') || !names || !ts.isNamedImports(names)) return
  for (const each of names.elements) {
    const name = (each.propertyName ?? each.name).text
    source.imports.set(each.name.text, { file: join(dirname(file), from), name })
  }
}

const done = new Map<string, Comments>()

function commentsOf(file: string, name: string): Comments {
  const key = `${file}#${name}`
  const known = done.get(key)
  if (known) return known
  const { constants, imports } = open(file)
  const elsewhere = imports.get(name)
  if (elsewhere) return commentsOf(elsewhere.file, elsewhere.name)
  const declaration = constants.get(name)
  const comments: Comments = { members: new Map() }
  done.set(key, comments)
  if (declaration?.initializer) merge(comments, inside(file, declaration.initializer))
  const text = declaration && textOf(declaration.parent.parent)
  if (text) comments.text = text
  return comments
}

/** The comments within an expression: an object's members, and those of whatever a call is given. */
function inside(file: string, node: ts.Expression): Comments {
  const comments: Comments = { members: new Map() }
  if (ts.isObjectLiteralExpression(node)) {
    for (const property of node.properties) addProperty(comments, file, property)
  } else if (ts.isCallExpression(node)) {
    for (const argument of node.arguments) merge(comments, inside(file, argument))
  } else if (ts.isArrayLiteralExpression(node)) {
    for (const element of node.elements) merge(comments, inside(file, element))
  } else if (ts.isIdentifier(node)) {
    return commentsOf(file, node.text)
  } else if (ts.isAsExpression(node)) {
    return inside(file, node.expression)
  } else if (ts.isPropertyAccessExpression(node)) {
    return memberOf(inside(file, node.expression), node.name.text)
  } else if (ts.isElementAccessExpression(node)) {
    return memberOf(inside(file, node.expression), node.argumentExpression.getText())
  }
  return comments
}

function addProperty(comments: Comments, file: string, property: ts.ObjectLiteralElementLike): void {
  if (ts.isSpreadAssignment(property)) return merge(comments, inside(file, property.expression))
  const name = property.name.getText().replace(/^['"]|['"]$/g, '')
  const member: Comments = { members: new Map() }
  if (ts.isPropertyAssignment(property)) merge(member, inside(file, property.initializer))
  if (ts.isShorthandPropertyAssignment(property)) merge(member, inside(file, property.name))
  const text = textOf(property)
  if (text) member.text = text
  comments.members.set(name, member)
}

/** TypeBox keeps an object's fields in `properties`; a comment belongs to the field either way. */
const memberOf = (comments: Comments, name: string): Comments =>
  name === 'properties' ? comments : (comments.members.get(name) ?? { members: new Map() })

function merge(into: Comments, from: Comments): void {
  if (from.text) into.text ??= from.text
  for (const [name, member] of from.members) {
    const known = into.members.get(name)
    if (known) merge(known, member)
    else into.members.set(name, member)
  }
}

function textOf(node: ts.Node): string | undefined {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment)
  return (
    text
      ?.replace(/\{@link (\w+)[^}]*\}/g, '`$1`')
      .replace(/\s+/g, ' ')
      .trim() || undefined
  )
}
