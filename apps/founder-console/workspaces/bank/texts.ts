import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Bank files', 'Archivos bancarios'),
  none: {
    title: text('No rail with bank files', 'Ningún medio de pago con archivos bancarios'),
    detail: text(
      'Your rails report payments by themselves. A rail of the provider “Bank files” is managed here.',
      'Sus medios de pago informan de los pagos por sí mismos. Uno del proveedor «Archivos bancarios» se gestiona aquí.',
    ),
  },
  statements: {
    title: text('Bank statements', 'Extractos bancarios'),
    lead: text(
      'Each booking counts once, whichever files have it. Lines with the reference of a deposit are matched by themselves.',
      'Cada apunte cuenta una vez, esté en los archivos que esté. Las líneas con la referencia de un depósito se asignan solas.',
    ),
    upload: text('Upload statement', 'Subir un extracto'),
    columnsOfCsv: text('CSV columns', 'Columnas del CSV'),
    empty: {
      title: text('No statements yet', 'Ningún extracto todavía'),
      detail: text(
        'Download a statement from your bank and upload it above.',
        'Descargue un extracto de su banco y súbalo arriba.',
      ),
    },
    columns: {
      at: text('Read', 'Leído'),
      file: text('File', 'Archivo'),
      rail: text('Rail', 'Medio de pago'),
      days: text('Days', 'Días'),
      lines: text('Lines', 'Líneas'),
      newLines: text('New', 'Nuevas'),
      actions: text('Actions', 'Acciones'),
    },
    download: text('Download', 'Descargar'),
    downloadWhat: text(
      (file: string) => `Download the file ${file} as it came`,
      file => `Descargar el archivo ${file} tal como llegó`,
    ),
    downloadFailed: text('The file was not downloaded', 'El archivo no se descargó'),
  },
  upload: {
    title: text('Upload statement', 'Subir un extracto'),
    rail: text('Rail', 'Medio de pago'),
    file: {
      label: text('File', 'Archivo'),
      hint: text(
        'camt.053, camt.054, MT940, OFX or CSV, or a ZIP of these, at most 24 MB, as your bank made it.',
        'camt.053, camt.054, MT940, OFX o CSV, o un ZIP de ellos, de 24 MB como máximo, tal como lo creó su banco.',
      ),
      missing: text('Choose a file.', 'Elija un archivo.'),
      tooLarge: text(
        'The file has more than 24 MB. Download the statement in parts.',
        'El archivo tiene más de 24 MB. Descargue el extracto por partes.',
      ),
    },
    unnamed: text(
      (rail: string) =>
        `The statement names no account. Compare it with the account of ${rail}. If it is that account’s, upload it again.`,
      rail =>
        `El extracto no nombra ninguna cuenta. Compárelo con la cuenta de ${rail}. Si es de esa cuenta, súbalo de nuevo.`,
    ),
    send: text('Upload', 'Subir'),
    failed: text('The statement was not read', 'El extracto no se leyó'),
    done: text(
      (lines: number, added: number) =>
        `${lines} ${lines === 1 ? 'line' : 'lines'} read, ${added} of them new.`,
      (lines, added) => `${lines} ${lines === 1 ? 'línea leída' : 'líneas leídas'}, ${added} nuevas.`,
    ),
    doubtful: text(
      (count: number) =>
        count === 1
          ? '1 of them may be a line of an earlier file: decide below.'
          : `${count} of them may be lines of an earlier file: decide below.`,
      count =>
        count === 1
          ? '1 de ellas puede ser una línea de un archivo anterior: decida abajo.'
          : `${count} de ellas pueden ser líneas de un archivo anterior: decida abajo.`,
    ),
    leftOut: text(
      (rows: number) => `${rows} left out: pending or failed.`,
      rows => `${rows} sin contar: pendientes o fallidas.`,
    ),
    notRead: {
      'other-account': text(
        (detail: string) => `A statement of another account was left out: ${detail}`,
        detail => `No se contó un extracto de otra cuenta: ${detail}`,
      ),
      unreadable: text(
        (detail: string) => `A booking that moved nothing, as the balances show, was left out: ${detail}`,
        detail => `No se contó un apunte que, según los saldos, no movió dinero: ${detail}`,
      ),
      'no-day': text(
        (detail: string) => `A row without a date was left out: ${detail}`,
        detail => `No se contó una fila sin fecha: ${detail}`,
      ),
      'notice-of-change': text(
        (detail: string) =>
          `A bank corrects a payout that it made (${detail}). Download the file for what is right, and use it from the next payout on.`,
        detail =>
          `Un banco corrige un pago que hizo (${detail}). Descargue el archivo para ver el dato correcto, y úselo a partir del próximo pago.`,
      ),
    },
  },
  preview: {
    title: text('As it will be read', 'Así se leerá'),
    lead: text(
      'Nothing of it counts yet. Compare the sums with your bank.',
      'Nada de esto cuenta todavía. Compare las sumas con las de su banco.',
    ),
    count: text(
      (lines: number, notBooked: number) =>
        notBooked === 0 ? `${lines}` : `${lines}, and ${notBooked} left out: pending or failed`,
      (lines, notBooked) =>
        notBooked === 0 ? `${lines}` : `${lines}, y ${notBooked} sin contar: pendientes o fallidas`,
    ),
    text: text('Text', 'Texto'),
    refused: text('The file will be refused', 'El archivo será rechazado'),
  },
  csv: {
    title: text('CSV columns', 'Columnas del CSV'),
    sample: {
      label: text('A file of your bank', 'Un archivo de su banco'),
      hint: text(
        'The columns are proposed from it, and you see how it is read before you save. It is not uploaded as a statement.',
        'Las columnas se proponen a partir de él, y usted ve cómo se lee antes de guardar. No se carga como extracto.',
      ),
      proposed: text(
        (columns: string) => `Filled in from the file; check each field. Its columns: ${columns}.`,
        columns => `Propuesto a partir del archivo; compruebe cada campo. Sus columnas: ${columns}.`,
      ),
    },
    show: text('Show rows', 'Mostrar las filas'),
    state: {
      label: text('State of the booking', 'Estado del movimiento'),
      hint: text(
        'Where the bank lists bookings that are pending or failed.',
        'Donde el banco incluye movimientos pendientes o fallidos.',
      ),
      booked: {
        label: text('Words for booked', 'Palabras para contabilizado'),
        hint: text(
          'Separated by commas. \"\" is an empty cell.',
          'Separadas por comas. \"\" es una celda vacía.',
        ),
      },
      pending: {
        label: text('Words for pending', 'Palabras para pendiente'),
        hint: text(
          'These rows are left out. A later file has them as booked.',
          'Estas filas no cuentan. Un archivo posterior las tiene como contabilizadas.',
        ),
      },
      failed: {
        label: text('Words for failed or reversed', 'Palabras para fallido o revertido'),
        hint: text('These rows are left out.', 'Estas filas no cuentan.'),
      },
      unassigned: text(
        (words: string) => `Say whether these are booked, pending or failed: ${words}.`,
        words => `Indique si están contabilizadas, pendientes o fallidas: ${words}.`,
      ),
      bookedMissing: text(
        'Enter the words for bookings that count.',
        'Escriba las palabras de los movimientos que cuentan.',
      ),
    },
    amountOutSign: {
      label: text('Money out is written', 'El dinero pagado se escribe'),
      signs: {
        '+': text('Without a minus', 'Sin signo menos'),
        '-': text('With a minus', 'Con signo menos'),
      },
    },
    lead: text(
      'Names as in the first row of the file.',
      'Los nombres como están en la primera fila del archivo.',
    ),
    delimiter: text('Separator', 'Separador'),
    delimiters: {
      ',': text('Comma', 'Coma'),
      ';': text('Semicolon', 'Punto y coma'),
      '\t': text('Tab', 'Tabulador'),
      '|': text('Vertical bar', 'Barra vertical'),
    },
    skipLines: {
      label: text('Rows before the head', 'Filas antes de la cabecera'),
      invalid: text('Enter a number from 0 to 50.', 'Escriba un número de 0 a 50.'),
    },
    encoding: text('Encoding', 'Codificación'),
    decimal: text('Decimal sign', 'Signo decimal'),
    decimals: { '.': text('Point', 'Punto'), ',': text('Comma', 'Coma') },
    date: text('Date', 'Fecha'),
    dateFormat: text('Order of the date', 'Orden de la fecha'),
    dateFormats: {
      'year-month-day': text('Year, month, day', 'Año, mes, día'),
      'day-month-year': text('Day, month, year', 'Día, mes, año'),
      'month-day-year': text('Month, day, year', 'Mes, día, año'),
    },
    amount: {
      label: text('Amount', 'Importe'),
      hint: text(
        'One column with signs or with credit and debit. Otherwise the two columns below.',
        'Una columna con signos o con abono y cargo. Si no, las dos columnas de abajo.',
      ),
    },
    direction: {
      label: text('Credit or debit', 'Abono o cargo'),
      hint: text('Values such as CR and DR.', 'Valores como CR y DR.'),
    },
    amountIn: text('Money in', 'Dinero recibido'),
    amountOut: text('Money out', 'Dinero pagado'),
    text: {
      label: text('Texts', 'Textos'),
      hint: text(
        'Columns with the description, separated by commas.',
        'Columnas con la descripción, separadas por comas.',
      ),
    },
    bankReference: text('Bank reference', 'Referencia del banco'),
    partyName: text('Name of the payer', 'Nombre del pagador'),
    partyAccount: text('Account of the payer', 'Cuenta del pagador'),
    partyBank: text('Bank of the payer', 'Banco del pagador'),
    currency: text('Currency', 'Moneda'),
    account: text('Own account', 'Cuenta propia'),
    balance: {
      label: text('Balance', 'Saldo'),
      hint: text(
        'After each booking. With it, a file that is cut off or lacks a row is refused.',
        'Después de cada movimiento. Con él se rechaza un archivo cortado o al que le falta una fila.',
      ),
    },
    dateMissing: text('Enter the column of the date.', 'Indique la columna de la fecha.'),
    textMissing: text('Enter a column with the description.', 'Indique una columna con la descripción.'),
    amountMissing: text(
      'Enter a column for the amount, or one for money in and one for money out.',
      'Indique una columna para el importe, o una para el dinero recibido y otra para el pagado.',
    ),
    send: text('Save columns', 'Guardar las columnas'),
    failed: text('The columns were not saved', 'Las columnas no se guardaron'),
  },
})
