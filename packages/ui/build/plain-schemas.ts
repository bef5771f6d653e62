/**
 * Replaces TypeBox in the browser. A console needs an endpoint's method and path and the limits of its schemas,
 * not TypeBox's type engine (19 kB of gzip). The constructors that contracts use give the same JSON Schema; any
 * other gives an empty schema.
 */
type Schema = { [member: string]: unknown }

const OPTIONAL = Symbol('optional')

const object = (properties: Schema = {}, options: Schema = {}): Schema => {
  const required = Object.keys(properties).filter(name => !(OPTIONAL in (properties[name] as Schema)))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

const propertiesOf = (schema: Schema) => (schema.properties ?? {}) as Schema

const builders: { [kind: string]: (...given: never[]) => Schema } = {
  Object: object,
  Array: (items: Schema, options: Schema) => ({ type: 'array', items, ...options }),
  Record: (key: Schema, value: Schema, options: Schema) => ({
    type: 'object',
    patternProperties: { [String(key.pattern ?? '^.*$')]: value },
    ...options,
  }),
  String: (options: Schema) => ({ type: 'string', ...options }),
  Number: (options: Schema) => ({ type: 'number', ...options }),
  Integer: (options: Schema) => ({ type: 'integer', ...options }),
  Boolean: (options: Schema) => ({ type: 'boolean', ...options }),
  Null: () => ({ type: 'null' }),
  Undefined: () => ({ type: 'undefined' }),
  Literal: (value: unknown) => ({ type: typeof value, const: value }),
  Enum: (values: unknown[], options: Schema) => ({ enum: values, ...options }),
  Union: (anyOf: Schema[], options: Schema) => ({ anyOf, ...options }),
  Intersect: (parts: Schema[], options: Schema) =>
    object(Object.assign({}, ...parts.map(propertiesOf)) as Schema, options),
  Optional: (schema: Schema) => ({ ...schema, [OPTIONAL]: true }),
  Partial: (schema: Schema) =>
    object(
      Object.fromEntries(Object.entries(propertiesOf(schema)).map(([k, v]) => [k, optional(v as Schema)])),
    ),
  Pick: (schema: Schema, names: string[]) => object(only(schema, name => names.includes(name))),
  Omit: (schema: Schema, names: string[]) => object(only(schema, name => !names.includes(name))),
}

const optional = (schema: Schema): Schema => ({ ...schema, [OPTIONAL]: true })

const only = (schema: Schema, keep: (name: string) => boolean): Schema =>
  Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => keep(name)))

const Type = new Proxy(builders, {
  get: (known, kind: string) => known[kind] ?? (() => ({})),
})

export { Type }
export default Type
