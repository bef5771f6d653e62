import { catalogue, text } from './catalogue.ts'

/** The words of the components themselves; everything else comes from the console that uses them. */
export const texts = catalogue({
  language: text('Language', 'Idioma'),
  copy: text(
    (what: string) => `Copy ${what}`,
    what => `Copiar ${what}`,
  ),
  copied: text('Copied', 'Copiado'),
  copyFailed: text(
    'The browser did not allow copying. Select the text and copy it yourself.',
    'El navegador no permitió copiar. Seleccione el texto y cópielo usted.',
  ),
  optional: text('optional', 'opcional'),
  show: text('Show', 'Mostrar'),
  hide: text('Hide', 'Ocultar'),
  showPassword: text('Show password', 'Mostrar la contraseña'),
  errorSummary: text('There is a problem', 'Hay un problema'),
  retry: text('Retry', 'Reintentar'),
  requestId: text('Request ID', 'ID de la solicitud'),
  loading: text('Loading', 'Cargando'),
  updatedReconnecting: text(
    (ago: string) => `Updated ${ago}, reconnecting`,
    ago => `Actualizado ${ago}, reconectando`,
  ),
  signInAgain: text('Sign in in a new tab', 'Iniciar sesión en otra pestaña'),
  offline: text(
    'You are offline. Changes are sent when you are online again.',
    'No tiene conexión. Los cambios se envían cuando vuelva a tenerla.',
  ),
  skipToContent: text('Skip to content', 'Saltar al contenido'),
  navigation: text('Main', 'Principal'),
  remove: text(
    (what: string) => `Remove ${what}`,
    what => `Quitar ${what}`,
  ),
  choose: text('Choose', 'Elegir'),
  close: text('Close', 'Cerrar'),
  cancel: text('Cancel', 'Cancelar'),
  theme: text('Colour scheme', 'Esquema de colores'),
  themes: {
    system: text('System', 'Del sistema'),
    light: text('Light', 'Claro'),
    dark: text('Dark', 'Oscuro'),
  },
  error: text('Error:', 'Error:'),
  loadingPage: text('Loading the page', 'Cargando la página'),
  reload: text('Reload page', 'Volver a cargar la página'),
  pageError: {
    title: text('This page could not be displayed', 'No se pudo mostrar esta página'),
    detail: text(
      'An error occurred on the page. Nothing you sent is lost. Reload the page to continue.',
      'Ocurrió un error en la página. Nada de lo que envió se ha perdido. Vuelva a cargar la página para continuar.',
    ),
  },
  newVersion: {
    title: text('A new version is available', 'Hay una versión nueva'),
    detail: text(
      'Windlass was updated while this page was open. Reload the page to continue.',
      'Windlass se actualizó mientras esta página estaba abierta. Vuelva a cargar la página para continuar.',
    ),
  },
  notFound: {
    title: text('Page not found', 'Página no encontrada'),
    detail: text(
      'There is no page at this address. Check the address, or go back to the start page.',
      'No hay ninguna página en esta dirección. Compruebe la dirección o vuelva a la página de inicio.',
    ),
    home: text('Go to the start page', 'Ir a la página de inicio'),
  },
  amount: {
    understood: text(
      (amount: string) => `Read as ${amount}`,
      amount => `Se lee como ${amount}`,
    ),
    missing: text('Enter a number.', 'Escriba un número.'),
    twoWays: text(
      (few: string, many: string) => `This can be read in two ways. Write ${few} or ${many}.`,
      (few, many) => `Se puede leer de dos maneras. Escriba ${few} o ${many}.`,
    ),
    decimals: text(
      (most: number) => `Enter at most ${most} ${most === 1 ? 'decimal' : 'decimals'}.`,
      most => `Escriba como máximo ${most} ${most === 1 ? 'decimal' : 'decimales'}.`,
    ),
    whole: text('Enter a whole number.', 'Escriba un número entero.'),
    tooLarge: text('Enter a smaller number.', 'Escriba un número menor.'),
    notPositive: text('Enter a number above 0.', 'Escriba un número mayor que 0.'),
    notANumber: text(
      (example: string) => `Enter a number such as ${example}.`,
      example => `Escriba un número como ${example}.`,
    ),
  },
})
