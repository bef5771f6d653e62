import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const signIn: Translation<typeof english.signIn> = {
  title: 'Iniciar sesión',
  lead: 'Para los administradores de esta plataforma.',
  expired: 'Su sesión ha caducado. Inicie sesión para continuar.',
  username: {
    label: 'Nombre de usuario o correo',
    missing: 'Escriba su nombre de usuario o correo electrónico',
  },
  password: { label: 'Contraseña', missing: 'Escriba su contraseña' },
  send: 'Iniciar sesión',
  refused: {
    title: 'No se pudo iniciar sesión',
    detail:
      'El nombre de usuario o la contraseña son incorrectos. Si olvidó su contraseña, pida una invitación nueva a un propietario de esta plataforma.',
  },
}
