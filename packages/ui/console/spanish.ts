import type { failureTexts } from '@windlass/client/errors.ts'
import type { Translation } from '../catalogue.ts'
import type { signIn as englishSignIn } from './code-sign-in-texts.ts'
import type { texts } from '../texts.ts'

export const ui: Translation<typeof texts> = {
  language: 'Idioma',
  copy: what => `Copiar ${what}`,
  copied: 'Copiado',
  copyFailed: 'El navegador no permitió copiar. Seleccione el texto y cópielo usted.',
  optional: 'opcional',
  show: 'Mostrar',
  hide: 'Ocultar',
  showPassword: 'Mostrar la contraseña',
  hidePassword: 'Ocultar la contraseña',
  errorSummary: 'Hay un problema',
  retry: 'Reintentar',
  requestId: 'ID de la solicitud',
  loading: 'Cargando',
  updatedReconnecting: ago => `Actualizado ${ago}, reconectando`,
  offline: 'No tiene conexión. Los cambios se envían cuando vuelva a tenerla.',
  palette: {
    title: 'Ir a',
    hint: 'Página o registro',
    none: 'Ninguna página ni registro coincide.',
    count: found => `${found} ${found === 1 ? 'resultado' : 'resultados'}`,
  },
  skipToContent: 'Saltar al contenido',
  navigation: 'Principal',
  remove: what => `Quitar ${what}`,
  choose: 'Elegir',
  close: 'Cerrar',
  cancel: 'Cancelar',
  theme: 'Esquema de colores',
  themes: { system: 'Del sistema', light: 'Claro', dark: 'Oscuro' },
  error: 'Error:',
  strength: ['Demasiado corta', 'Débil', 'Aceptable', 'Buena', 'Fuerte'],
  passwordStrength: 'Seguridad de la contraseña',
  loadingPage: 'Cargando la página',
  reload: 'Volver a cargar la página',
  pageError: {
    title: 'No se pudo mostrar esta página',
    detail:
      'Ocurrió un error en la página. Nada de lo que envió se ha perdido. Vuelva a cargar la página para continuar.',
  },
  newVersion: {
    title: 'Hay una versión nueva',
    detail:
      'Windlass se actualizó mientras esta página estaba abierta. Vuelva a cargar la página para continuar.',
  },
  notFound: {
    title: 'Página no encontrada',
    detail: 'No hay ninguna página en esta dirección. Compruebe la dirección o vuelva a la página de inicio.',
    home: 'Ir a la página de inicio',
  },
  list: {
    filter: 'Filtrar',
    all: 'Todos',
    showAll: 'Mostrar todos',
    search: 'Buscar',
    more: 'Mostrar más',
  },
  json: { title: 'JSON sin procesar', copy: 'el JSON' },
  stageStatus: { pending: 'En espera', running: 'En curso', failed: 'Fallida', completed: 'Lista' },
  stages: {
    'Generating Stellar keys': 'Generar las claves de Stellar',
    'Funding accounts & issuing asset on Stellar': 'Financiar las cuentas y emitir el activo en Stellar',
    'Generating configuration files': 'Generar los archivos de configuración',
    'Setting up databases': 'Preparar las bases de datos',
    'Spawning containers': 'Iniciar los contenedores',
    'Waiting for stack to be healthy': 'Esperar a que los servidores respondan',
    completed: 'Completado',
  },
  attempt: count => `intento ${count}`,
  log: {
    title: 'Registro',
    filter: 'Filtrar el registro',
    follow: 'Seguir',
    pause: 'Pausar',
    copy: 'el registro',
    empty: 'Aún no hay líneas en el registro.',
    noMatch: 'Ninguna línea coincide con el filtro.',
    lines: count => `${count} ${count === 1 ? 'línea' : 'líneas'}`,
  },
  amount: {
    understood: amount => `Se lee como ${amount}`,
    missing: 'Escriba un número.',
    twoWays: (few, many) => `Se puede leer de dos maneras. Escriba ${few} o ${many}.`,
    decimals: most => `Escriba como máximo ${most} ${most === 1 ? 'decimal' : 'decimales'}.`,
    whole: 'Escriba un número entero.',
    tooLarge: 'Escriba un número menor.',
    notPositive: 'Escriba un número mayor que 0.',
    notANumber: example => `Escriba un número como ${example}.`,
  },
  chart: { table: 'Mostrar las cifras', day: 'Día' },
}

export const codeSignIn: Translation<typeof englishSignIn> = {
  title: 'Iniciar sesión',
  expired: 'Su sesión ha caducado. Inicie sesión para continuar.',
  email: { label: 'Correo electrónico', missing: 'Escriba su correo electrónico' },
  send: 'Enviar el código',
  sentTitle: 'Escriba el código',
  code: {
    label: 'Código',
    hint: 'Seis dígitos, como 482 913.',
    missing: 'Escriba el código del correo',
    wrong: 'El código tiene seis dígitos',
    refused: 'El código es incorrecto, ya se usó o ha caducado. Tras cinco intentos, pida uno nuevo.',
  },
  verify: 'Iniciar sesión',
  resend: 'Enviar un código nuevo',
  resendIn: seconds => `Podrá pedir un código nuevo en ${seconds} s`,
  resent: 'Enviamos un código nuevo. Los códigos anteriores ya no sirven.',
  changeEmail: 'Usar otra dirección',
  failed: 'No se pudo iniciar sesión',
}

export const failures: Translation<typeof failureTexts> = {
  unreachable: {
    title: 'Sin conexión con Windlass',
    detail: 'El servicio no respondió. Compruebe su conexión y reintente.',
  },
  broken: {
    title: 'Ocurrió un error en esta página',
    detail: 'Vuelva a cargar la página. Si el error continúa, contacte con soporte y describa qué hizo.',
  },
}
