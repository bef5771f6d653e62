import Type from 'typebox'

/** Why a control finds less than before. */
export const weakeningReasons = [
  'too-many-false-hits',
  'law-changed',
  'licence-changed',
  'authority-removed-it',
  'set-by-mistake',
  'other-control-covers-it',
] as const

/** What a change of a control has where it makes the control weaker: then a second person approves it. */
export const weakening = { reason: Type.Optional(Type.Enum([...weakeningReasons])) }
