// The page works without this script. The script adds drag and drop, paste, folders, progress, cancel, retry, a live
// list.

const atOnce = 3
const pollEvery = 3000
const automaticTries = 5
const $ = id => document.getElementById(id)

// ---- Words and numbers

/** The same text as the server writes. */
function sizeText(bytes) {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let value = bytes / 1024
  let unit = 0
  for (; value >= 1023.95 && unit + 1 < units.length; unit += 1) value /= 1024
  return `${value.toFixed(1)} ${units[unit]}`
}

const countText = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Names come from strangers: no character in one may change the direction of the text or be invisible. */
function visible(name) {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, c =>
    `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`)
}

const copyOf = template => $(template).content.firstElementChild.cloneNode(true)

// ---- Messages for screen readers: at most one per second; events that happen together share one message.

const unsaid = { lines: [], arrived: [] }
let speaking

function say(text, kind = 'lines') {
  if (!unsaid[kind].includes(text)) unsaid[kind].push(text)
  speaking ??= setTimeout(speak, 1000)
}

function speak() {
  const { lines, arrived } = unsaid
  const news = arrived.length > 2 ? [`${arrived.length} files have arrived.`] : arrived.map(name => `${name} has arrived.`)
  $('status').textContent = [...news, ...lines.slice(0, 4)].join(' ')
  Object.assign(unsaid, { lines: [], arrived: [] })
  speaking = undefined
}

// ---- The queue

let limits = {}
let uploads = []
let milestone = 0
let wasActive = false
let drawing

class Upload {
  state = 'waiting' // sending, delayed, sent, failed, cancelled
  sent = 0
  tries = 0

  constructor(file, name) {
    Object.assign(this, { file, name, row: copyOf('sending-row') })
    const [progress, button] = [this.row.querySelector('progress'), this.row.querySelector('button')]
    this.row.querySelector('bdi').textContent = visible(name)
    this.row.querySelector('.size').textContent = sizeText(file.size)
    progress.setAttribute('aria-label', `Progress of ${visible(name)}`)
    button.addEventListener('click', () => this.isActive ? this.cancel() : this.retry())
    $('queued').append(this.row)
    const most = Math.min(limits.maxFileSize ?? Infinity, limits.maxSize ?? Infinity)
    if (file.size > most) this.fail(`Too large: ${sizeText(file.size)}. The limit is ${sizeText(most)} per file.`)
    else this.become('waiting', 'Waiting')
  }

  get size() { return this.file.size }
  get isActive() { return ['waiting', 'sending', 'delayed'].includes(this.state) }

  become(state, text) {
    this.state = this.row.dataset.state = state
    this.row.querySelector('.state').textContent = text
    const button = this.row.querySelector('button')
    const label = this.isActive ? 'Cancel' : 'Retry'
    button.textContent = label
    button.setAttribute('aria-label', `${label} ${visible(this.name)}`)
    // Keep the focus when the button that has it is hidden.
    if (state === 'sent' && document.activeElement === button) this.row.focus()
    button.hidden = state === 'sent'
  }

  show(sent) {
    this.sent = sent
    const progress = this.row.querySelector('progress')
    progress.value = this.file.size ? sent / this.file.size : (this.state === 'sent' ? 1 : 0)
    if (this.state !== 'sending') return
    const percent = Math.floor(100 * progress.value)
    this.row.querySelector('.state').textContent = percent < 100 ? `Sending, ${percent} %` : 'Waiting for the receiver'
  }

  send() {
    const form = new FormData()
    form.append('files', this.file, this.name)
    const request = this.request = new XMLHttpRequest() // fetch reports no upload progress
    request.open('POST', '/')
    request.setRequestHeader('Accept', 'application/json')
    request.responseType = 'json'
    request.upload.addEventListener('progress', event => {
      // The count includes the form's framing around the file.
      if (this.state === 'sending') this.show(Math.min(this.size, Math.round(this.size * event.loaded / event.total)))
      changed()
    })
    request.addEventListener('load', () => this.answered(request))
    request.addEventListener('error', () =>
      this.fail('The connection was lost. The receiver stopped or refused the file, or the file can no longer be read.'))
    request.addEventListener('loadend', next)
    this.become('sending', 'Sending')
    wasActive = true // also if it ends before the next drawing
    this.show(0)
    request.send(form)
  }

  answered(request) {
    const answer = request.response // null if it isn't JSON
    const seconds = Number(request.getResponseHeader('Retry-After') ?? NaN)
    if (request.status >= 200 && request.status < 300) {
      const stored = answer?.files?.[0]?.name
      this.become('sent', stored && stored !== this.name ? `Arrived as ${visible(stored)}` : 'Arrived')
      this.show(this.file.size)
      say(visible(stored ?? this.name), 'arrived')
      refresh()
    } else if ([429, 503].includes(request.status) && seconds >= 0 && ++this.tries < automaticTries) {
      this.become('delayed', `The receiver is busy. Trying again in ${countText(Math.min(seconds, 60), 'second')}`)
      this.show(0)
      this.timer = setTimeout(() => { this.become('waiting', 'Waiting'); next() }, 1000 * Math.min(seconds, 60))
    } else {
      const text = answer?.detail ?? answer?.title ?? `The receiver answered ${request.status} ${request.statusText}`
      this.fail(request.status === 401 ? `${text} Reload the page to sign in.` : text)
    }
  }

  fail(text) {
    this.become('failed', `Failed: ${visible(text)}`)
    this.show(0)
    say(`${visible(this.name)} failed. ${visible(text)}`)
  }

  cancel() {
    clearTimeout(this.timer)
    this.become('cancelled', 'Cancelled')
    this.show(0)
    this.request?.abort()
    say(`${visible(this.name)} cancelled.`)
    next()
  }

  retry() {
    this.tries = 0
    this.become('waiting', 'Waiting')
    this.show(0)
    next()
  }
}

function add(files) {
  if (!files.length) return
  if (!uploads.some(upload => upload.isActive)) milestone = 0
  uploads.push(...files.map(({ file, name }) => new Upload(file, name)))
  say(`${countText(files.length, 'file')} added.`)
  next()
}

const inState = state => uploads.filter(upload => upload.state === state)

/** Sends waiting uploads while fewer than three are being sent. */
function next() {
  const most = Math.max(1, Math.min(atOnce, limits.maxUploads ?? atOnce))
  const room = Math.max(0, most - inState('sending').length)
  inState('waiting').slice(0, room).forEach(upload => upload.send())
  changed()
}

/** Draws the overall progress, not for each event. Also while the tab is hidden, because its title shows the progress. */
function changed() {
  drawing ??= setTimeout(() => { drawing = undefined; draw() }, 50)
}

function draw() {
  const count = state => inState(state).length
  const sum = (of, values) => values.reduce((total, value) => total + value[of], 0)
  const wanted = uploads.filter(upload => upload.state !== 'cancelled')
  const [total, sent] = [sum('size', wanted), sum('sent', wanted)]
  const active = uploads.some(upload => upload.isActive)
  const share = total ? sent / total : Number(!active && wanted.length > 0)
  const failures = count('failed') ? [`${count('failed')} failed`] : []
  $('queue').hidden = !uploads.length
  $('overall').value = share
  $('overall-text').textContent = [
    `${count('sent')} of ${countText(wanted.length, 'file')}`, `${sizeText(sent)} of ${sizeText(total)}`, ...failures,
  ].join(' · ')
  enable('cancel-all', active)
  enable('retry-failed', failures.length)
  enable('clear', uploads.some(upload => !upload.isActive))
  document.title = active ? `${Math.floor(100 * share)} % · Send files` : 'Send files'
  const quarter = Math.floor(4 * share)
  if (active && quarter > milestone && quarter < 4) say(`${25 * quarter} % sent.`)
  milestone = Math.max(milestone, quarter)
  if (wasActive && !active && wanted.length) say(`All done: ${[`${count('sent')} sent`, ...failures].join(', ')}.`)
  wasActive = active
}

/** Disabled buttons stay in place and keep the focus; a screen reader announces that they can't be used. */
const enable = (id, isEnabled) => $(id).setAttribute('aria-disabled', String(!isEnabled))

function onClick(id, action) {
  $(id).addEventListener('click', () => { if ($(id).getAttribute('aria-disabled') !== 'true') action() })
}

onClick('cancel-all', () => {
  // Waiting ones first, or one of them would start whenever a slot becomes free.
  for (const state of ['waiting', 'delayed', 'sending']) inState(state).forEach(upload => upload.cancel())
})
onClick('retry-failed', () => inState('failed').forEach(upload => upload.retry()))
onClick('clear', () => {
  uploads.filter(upload => !upload.isActive).forEach(upload => upload.row.remove())
  uploads = uploads.filter(upload => upload.isActive)
  if (!uploads.length) $('files').focus()
  changed()
})
addEventListener('beforeunload', event => {
  if (uploads.some(upload => upload.isActive)) event.preventDefault()
})

// ---- Adding files

for (const id of ['files', 'folder']) {
  $(id).addEventListener('change', () => {
    add([...$(id).files].map(file => ({ file, name: file.webkitRelativePath || file.name })))
    $(id).value = ''
  })
}

/** The dropped files; files in folders with their paths. */
async function* filesIn(entry, folder = '') {
  if (entry.isFile) {
    yield { file: await new Promise((resolve, reject) => entry.file(resolve, reject)), name: folder + entry.name }
    return
  }
  const reader = entry.createReader()
  for (;;) {
    // Folders are read in batches, of 100 entries in some browsers.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (!entries.length) return
    for (const inner of entries) yield* filesIn(inner, `${folder}${entry.name}/`)
  }
}

async function addDropped(transfer) {
  // Everything is read at once: after the first wait the drop's items are gone.
  const items = [...transfer.items].filter(item => item.kind === 'file')
    .map(item => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }))
  add(items.filter(({ entry, file }) => file && !entry?.isDirectory).map(({ file }) => ({ file, name: file.name })))
  for (const { entry } of items.filter(({ entry }) => entry?.isDirectory)) {
    const files = []
    try {
      for await (const found of filesIn(entry)) files.push(found)
    } catch {
      say(`Not all of ${visible(entry.name)} can be read.`)
    }
    add(files)
  }
}

const carriesFiles = event => event.dataTransfer?.types.includes('Files')
let inside = 0

function drag(change) {
  inside = change ? Math.max(0, inside + change) : 0
  document.documentElement.classList.toggle('dragging', inside > 0)
}

addEventListener('dragenter', event => carriesFiles(event) && (event.preventDefault(), drag(1)))
addEventListener('dragleave', event => carriesFiles(event) && drag(-1))
addEventListener('dragover', event => {
  if (!carriesFiles(event)) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'copy'
})
addEventListener('drop', event => {
  if (!carriesFiles(event)) return
  event.preventDefault()
  drag(0)
  addDropped(event.dataTransfer)
})
addEventListener('paste', event => {
  const files = [...event.clipboardData?.files ?? []]
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  // A copied picture has no name of its own: browsers name each image.png.
  add(files.map(file => ({ file, name: file.name.replace(/^image(\.\w+)$/, `pasted ${time}$1`) })))
})

// ---- Arrived files

const rows = new Map()
let shown = ''
let timer

async function refresh() {
  clearTimeout(timer)
  let pause = pollEvery
  try {
    const response = await fetch('/files.json', { cache: 'no-cache', headers: { Accept: 'application/json' } })
    if (response.status === 401) return tell('You are signed out. Reload the page to sign in.')
    if (!response.ok) throw new Error(response.statusText)
    const text = await response.text()
    tell('')
    if (text !== shown) list(JSON.parse(text))
    shown = text
  } catch {
    tell('The receiver doesn’t answer; trying again.')
    pause *= 3
  }
  clearTimeout(timer) // of another refresh that began in the meantime, after an upload
  if (!document.hidden) timer = setTimeout(refresh, pause)
}

/** Writes only changes: text in a live region is read aloud each time it is written. */
function tell(text) {
  if ($('connection').textContent !== text) $('connection').textContent = text
}

function list(received) {
  limits = received.limits ?? {}
  const complete = received.files.filter(file => file.state === 'complete')
  const wanted = new Map(complete.map(file => [`${file.id} ${file.time} ${file.name}`, file]))
  for (const [key, row] of rows) {
    if (wanted.has(key)) continue
    row.remove()
    rows.delete(key)
  }
  for (const [key, file] of wanted) {
    if (rows.has(key)) continue
    rows.set(key, rowOf(file))
    $('arrived').prepend(rows.get(key)) // in order of arrival; the newest is shown first
  }
  $('count').textContent = wanted.size
  $('none').hidden = wanted.size > 0
}

function rowOf(file) {
  const row = copyOf('arrived-row')
  const [time, copyable] = ['time', '.copyable'].map(part => row.querySelector(part))
  row.querySelector('bdi').textContent = visible(file.name)
  row.querySelector('.size').textContent = sizeText(file.size)
  time.dateTime = file.time
  time.textContent = new Date(file.time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  if (file.sha256) {
    copyable.querySelector('code').textContent = file.sha256
    copyable.querySelector('button').setAttribute('aria-label', `Copy the SHA-256 of ${visible(file.name)}`)
  } else {
    copyable.remove()
  }
  return row
}

document.addEventListener('visibilitychange', () => document.hidden ? clearTimeout(timer) : refresh())

// ---- Copying

async function copyText(code) {
  // The clipboard API exists only on secure origins, and a receiver on the local network often isn't one.
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
  getSelection().selectAllChildren(code)
  if (!document.execCommand('copy')) throw new Error('refused')
}

document.addEventListener('click', async event => {
  const button = event.target.closest('.copy')
  if (!button) return
  const code = button.closest('.copyable').querySelector('code')
  try {
    await copyText(code)
    button.textContent = 'Copied'
    say('Copied.')
  } catch {
    getSelection().selectAllChildren(code)
    button.textContent = 'Selected'
    say('The browser doesn’t allow copying, so the text is selected.')
  }
  setTimeout(() => { button.textContent = 'Copy' }, 2000)
})

// ---- Replacing the plain page

const here = new URL('./', location).href
for (const address of document.querySelectorAll('.address')) {
  address.textContent = /^[\w:/.~%-]+$/.test(here) ? here : `'${here.replaceAll("'", '%27')}'`
}
$('arrived').replaceChildren()
$('files').required = false
document.documentElement.classList.add('script')
refresh()
