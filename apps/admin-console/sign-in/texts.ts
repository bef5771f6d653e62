import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const signIn = catalogue({
  title: text('Sign in', 'Iniciar sesión'),
  lead: text('For administrators of this platform.', 'Para los administradores de esta plataforma.'),
  expired: text(
    'Your session has expired. Sign in to continue.',
    'Su sesión ha caducado. Inicie sesión para continuar.',
  ),
  username: {
    label: text('User name or email', 'Nombre de usuario o correo'),
    missing: text('Enter your user name or email', 'Escriba su nombre de usuario o correo electrónico'),
  },
  password: {
    label: text('Password', 'Contraseña'),
    missing: text('Enter your password', 'Escriba su contraseña'),
  },
  send: text('Sign in', 'Iniciar sesión'),
  singleSignOn: text('Sign in with single sign-on', 'Entrar con inicio de sesión único'),
  refused: {
    title: text('Sign-in failed', 'No se pudo iniciar sesión'),
    detail: text(
      'The user name or password is wrong. If you forgot your password, ask an owner of this platform for a new invitation.',
      'El nombre de usuario o la contraseña son incorrectos. Si olvidó su contraseña, pida una invitación nueva a un propietario de esta plataforma.',
    ),
  },
})
