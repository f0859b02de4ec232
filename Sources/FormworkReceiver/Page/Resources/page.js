// The page works without this script. The script adds drag and drop, paste, folders, progress, cancel, retry, a live
// list, and uploads that continue after a cut (draft-ietf-httpbis-resumable-upload).

const atOnce = 3
const pollEvery = 3000
const automaticTries = 5
const rowsShown = 30
/** Files up to this size are sent in one request at first: creating an upload for each takes longer than sending it. */
const smallSize = 1 << 20
/** How often such a request is repeated when its answer is lost. */
const wholeTries = 3
/** How long nothing may move before a connection counts as lost, in milliseconds; it doubles each time. */
const patience = 20_000
const title = document.title
const $ = id => document.getElementById(id)
/** The page's path, with a slash at its end: an upload link has one of its own. */
const base = $('form').getAttribute('action')

// ---- Words and numbers

/** The same text as the server writes. */
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let value = bytes
  let unit = 0
  for (; value >= 1023.5 && unit + 1 < units.length; unit += 1) value /= 1024
  const tenths = Math.round(value * 10)
  const isWhole = unit === 0 || tenths >= 1000
  return `${isWhole ? Math.round(value) : (tenths / 10).toFixed(1)} ${units[unit]}`
}

function timeText(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `12.3 MiB/s · 21 s left`, as a list; empty if there is nothing to say yet. */
function paceTexts(rate, left) {
  return rate > 0 ? [`${sizeText(Math.round(rate))}/s`, `${timeText(left / rate)} left`] : []
}

const countText = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Names come from strangers: no character in one may change the direction of the text or be invisible. */
function visible(name) {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, c =>
    `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`)
}

/** Writes only changes: text in a live region is read aloud each time it is written. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text
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

// ---- Unfinished uploads that this browser remembers

// A browser can't keep a file for a later visit. It keeps the upload's URL, and how to recognize the file.
const storageKey = 'formwork uploads'
const mostRemembered = 200

function remembered() {
  try {
    const records = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return records.filter(record => typeof record?.url === 'string' && typeof record.name === 'string')
  } catch {
    return [] // storage can be switched off
  }
}

function remember(records) {
  try {
    localStorage.setItem(storageKey, JSON.stringify(records.slice(-mostRemembered)))
  } catch {
    // Without storage, an upload continues only while the page is open.
  }
}

const forget = url => remember(remembered().filter(record => record.url !== url))

// A request for an upload's offset ends the transfer in progress, so a tab leaves the uploads of other tabs alone.
const tabs = typeof BroadcastChannel === 'function' ? new BroadcastChannel(storageKey) : undefined
const elsewhere = new Set()

tabs?.addEventListener('message', ({ data }) => {
  if (data?.ask) return claim()
  for (const url of data?.owned ?? []) {
    elsewhere.add(url)
    uploads.filter(upload => upload.state === 'offered' && upload.url === url).forEach(upload => upload.remove())
  }
})

function claim() {
  tabs?.postMessage({ owned: uploads.filter(upload => upload.url && upload.state !== 'offered').map(upload => upload.url) })
}

// ---- Requests

/**
 * Sends a request. Resolves with its XMLHttpRequest, or with `lost` if there was no answer.
 * fetch reports no upload progress.
 */
function ask(method, address, { fields = {}, body = null, limit = 0, begin = () => {}, progress = () => {} }) {
  return new Promise(resolve => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries({ ...byScript, Accept: 'application/json', ...fields })) {
      request.setRequestHeader(name, value)
    }
    request.responseType = 'json'
    request.timeout = limit
    request.upload.addEventListener('progress', progress)
    // Of a connection that ends after an interim answer (104), Chromium makes a 200 without any field.
    request.addEventListener('loadend', () => resolve(request.getAllResponseHeaders() ? request : lost))
    begin(request)
    request.send(body)
  })
}

/** What comes in place of an answer. */
const lost = { status: 0, statusText: '', response: null, getResponseHeader: () => null }

/** The receiver doesn't make the browser ask for a password when a script's request is refused. */
const byScript = { 'X-Requested-With': 'XMLHttpRequest' }
const version = { 'Upload-Draft-Interop-Version': '8' }
const isPassing = status => [0, 408, 425, 500, 502, 504].includes(status)
const isBusy = status => status === 429 || status === 503
/** Whether the same request will be refused again. */
const isFinal = status => status === 507 || status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status)

const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** A key under which the receiver stores a file once. crypto.randomUUID needs a secure origin. */
const randomKey = () => `"${hex(crypto.getRandomValues(new Uint8Array(16)))}"`

/** An answer's number field; `undefined` if it isn't one. */
function numberField(request, name) {
  const value = request.getResponseHeader(name)
  return /^\d{1,15}$/.test(value ?? '') ? Number(value) : undefined
}

/** A name as a parameter of Content-Disposition (RFC 8187). */
const disposition = name => `attachment; filename*=UTF-8''${encodeURIComponent(
  name.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/['()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`

/** The file's type. A multipart one would make the receiver read the file as a form. */
const typeOf = file => !file.type || /^(multipart\/|application\/x-www-form-urlencoded)/i.test(file.type)
  ? 'application/octet-stream' : file.type

// ---- Uploads

let limits = {}
let uploads = []
let milestone = 0
let wasActive = false
let drawing
let resumes = 'resumes' in $('form').dataset

class Upload {
  state = 'waiting' // sending, paused (no connection), delayed (the receiver is busy), sent, failed, cancelled, offered
  sent = 0
  tries = 0
  turn = 0 // changes whenever the current run of `send` is to end
  isPlain = false // sent in one request that can't be resumed
  isFinal = false // refused for what it is, such as its size: no other try helps
  wasWhole = false // sent in one request, as small files are at first
  mayBeStored = false // such a request was sent to its last byte, as far as is known, and its answer was lost
  reported // bytes of the last such request that the browser has reported as sent; undefined if none
  url = undefined // where a resumable upload continues
  key = randomKey()
  samples = []
  patience = patience

  constructor(file, name, { isKept = true } = {}) {
    Object.assign(this, { file, name, isKept, row: copyOf('sending-row') })
    const [go, discard] = this.row.querySelectorAll('button')
    this.row.querySelector('bdi').textContent = visible(name)
    this.row.querySelector('.size').textContent = sizeText(file.size)
    this.row.querySelector('progress').setAttribute('aria-label', `Progress of ${visible(name)}`)
    discard.setAttribute('aria-label', `Discard ${visible(name)}`)
    go.addEventListener('click', () =>
      this.state === 'offered' ? $('files').click() : this.isActive ? this.cancel() : this.retry())
    discard.addEventListener('click', () => { this.withdraw(); this.remove(); $('list-title').focus() })
    $('queued').append(this.row)
    this.become('waiting', 'Waiting')
  }

  get size() { return this.file.size }
  get isActive() { return ['waiting', 'sending', 'paused', 'delayed'].includes(this.state) }

  become(state, text) {
    this.state = this.row.dataset.state = state
    this.say(text)
    const [go, discard] = this.row.querySelectorAll('button')
    const label = this.isActive ? 'Cancel' : state === 'offered' ? 'Choose the file' : 'Retry'
    if (go.textContent !== label) {
      go.textContent = label
      go.setAttribute('aria-label', `${label}${state === 'offered' ? ':' : ''} ${visible(this.name)}`)
    }
    go.hidden = state === 'failed' && this.isFinal
    discard.hidden = state !== 'offered'
  }

  say(text) { write(this.row.querySelector('.state'), text) }

  show(sent) {
    if (this.state === 'sending' && sent > this.sent) this.moved = Date.now()
    this.sent = sent
    this.row.querySelector('progress').value = this.size ? sent / this.size : 0
    if (this.state === 'sending') this.tick()
  }

  /** Bytes a second in the last five seconds; 0 if not known yet. */
  get rate() {
    if (this.state !== 'sending' || this.samples.length < 2) return 0
    const [first, last] = [this.samples[0], this.samples.at(-1)]
    return last.time - first.time < 500 ? 0 : 1000 * (last.sent - first.sent) / (last.time - first.time)
  }

  /** Called for each progress, and every second. */
  tick() {
    if (this.state !== 'sending') return
    const time = Date.now()
    const last = this.samples.at(-1)
    if (!last || time - last.time >= 200) this.samples.push({ time, sent: this.sent })
    while (this.samples.length > 2 && time - this.samples[0].time > 5000) this.samples.shift()
    const percent = this.size ? Math.floor(100 * this.sent / this.size) : 100
    this.say(percent < 100
      ? [`${percent} %`, sizeText(this.sent), ...paceTexts(this.rate, this.size - this.sent)].join(' · ') + this.caveat
      : 'Waiting for the receiver')
    // A network that is gone doesn't say so. After the last byte the receiver may need time to store the file.
    const most = percent < 100 ? this.patience : 3 * this.patience
    if (!this.isPlain && time - this.moved > most) {
      this.patience *= 2
      this.request?.abort()
    }
  }

  get caveat() { return this.isPlain && resumes ? ' · can’t be resumed' : '' }

  /** Sends the file, or the rest of it, until it has arrived, is refused or is cancelled. */
  async send() {
    const turn = ++this.turn
    const isOver = () => turn !== this.turn
    let offset // bytes that the receiver has; unknown after a cut
    let reached = -1
    let stuck = 0
    let lost = 0
    wasActive = true // also if it ends before the next drawing
    this.start()
    if (!this.url) this.show(0)
    if (resumes && !this.url && !this.isPlain && !this.wasWhole && this.size <= smallSize) {
      this.wasWhole = true
      for (let tries = 0; tries < wholeTries || this.mayBeStored; tries += 1) {
        const answer = await this.sendWhole()
        if (isOver()) return
        const { status } = answer
        if (status >= 200 && status < 300) return this.arrived(answer)
        if (isFinal(status) && this.mayBeStored) {
          this.wasWhole = false // "Retry" has the same key
          return this.refused(answer)
        }
        if ([400, 403, 413, 415, 422].includes(status)) return this.refused(answer)
        if (isBusy(status)) {
          this.wasWhole = !this.mayBeStored
          return this.delay(answer)
        }
        if (![0, 502, 504].includes(status) && !this.mayBeStored) break
        // Only the answer may have been lost. A receiver that wasn't restarted repeats it for the same key, so the file
        // isn't sent in another way from here on.
        this.mayBeStored ||= (this.reported ?? this.size) >= this.size
        this.show(0)
        let stored
        do {
          await this.pause(lost++)
          if (isOver()) return
          stored = await this.findStored()
          if (isOver()) return
        } while (stored === null)
        this.start()
        if (stored) return this.arrived({ response: { files: [stored] } })
        if (!await this.isReadable(0) || isOver()) return
      }
      // From here on as a larger file.
    }
    for (;;) {
      const isNew = !this.isPlain && !this.url
      if (this.isPlain || !resumes) {
        this.isPlain = true
        offset = 0
      }
      let answer
      if (!isNew && offset < this.size && !await this.isReadable(offset) || isOver()) return
      if (this.isPlain) {
        answer = await this.sendWhole()
      } else if (isNew) {
        answer = await this.create()
      } else if (offset === undefined) {
        const limit = this.sent < this.size ? 10_000 : 60_000 // a complete file may still be being stored
        answer = await this.ask('HEAD', this.url, { fields: version, limit })
      } else {
        answer = await this.append(offset)
      }
      if (isOver()) return
      const { status } = answer
      if (isNew && status === 201 && answer.getResponseHeader('Location')) {
        this.keep(answer)
        offset = 0
        continue
      }
      if (isBusy(status)) {
        if (isNew && ++this.tries >= automaticTries) { // too many unfinished uploads, perhaps
          this.isPlain = true
          this.tries = 0
        } else if (this.isPlain && ++this.tries >= automaticTries) {
          return this.refused(answer)
        }
        return this.delay(answer)
      }
      const isOut = status === 401 && !this.isPlain
      if (isOut || isPassing(status) && !(status === 500 && this.isPlain)) {
        if (this.isPlain && ++this.tries >= automaticTries) {
          return this.end('The connection was lost. The receiver stopped or refused the file.')
        }
        if (!this.isPlain && status === 500 && ++stuck > 20) return this.refused(answer)
        if (this.isPlain || !this.url) this.show(0)
        if (isOut) {
          this.show(Math.max(0, reached))
          signedOut()
        }
        await this.pause(lost++, isOut ? 'You are signed out. Sign in, and this upload continues.' : undefined)
        if (isOver()) return
        this.start()
        offset = undefined
        continue
      }
      if (isNew) {
        // 404 and the like: this receiver doesn't resume, or not now. One request may work.
        if ([400, 403, 413, 415].includes(status)) return this.refused(answer)
        this.isPlain = true
        this.tries = 0
        continue
      }
      if (this.isPlain) return status >= 200 && status < 300 ? this.arrived(answer) : this.refused(answer)
      if (status === 404 || status === 410) {
        // It has expired, or the receiver keeps its uploads elsewhere.
        forget(this.url)
        this.url = offset = undefined
        this.show(0)
        if (++stuck > 3) return this.refused(answer)
        continue
      }
      const given = numberField(answer, 'Upload-Offset')
      if (status === 409 && given !== undefined || status >= 200 && status < 300 && offset === undefined) {
        if (given === undefined || given > this.size) return this.refused(answer)
        lost = 0
        offset = given
        stuck = offset > reached ? 0 : stuck + 1
        reached = Math.max(reached, offset)
        if (stuck > 8) return this.end('The receiver refused the file several times at the same place.')
        this.samples = []
        this.show(offset)
        changed()
        continue
      }
      if (status >= 200 && status < 300) {
        if (answer.getResponseHeader('Upload-Complete') !== '?0') return this.arrived(answer)
        offset = given // one of several pieces
        this.show(offset ?? this.sent)
        continue
      }
      if (status !== 507) {
        forget(this.url)
        this.url = undefined
      }
      return this.refused(answer)
    }
  }

  start() {
    this.samples = []
    this.moved = Date.now()
    this.become('sending', 'Sending')
    claim()
  }

  /** Whether the file is still the one that was chosen; ends the upload otherwise. */
  async isReadable(offset) {
    const { turn } = this
    try {
      await this.file.slice(offset, offset + 1).arrayBuffer()
      return true
    } catch {
      if (turn === this.turn) this.end('The file has changed or can no longer be read. Choose it again.')
      return false
    }
  }

  /** Makes a request that `cancel` ends. */
  ask(method, address, options) {
    return ask(method, address, { ...options, begin: request => { this.request = request } })
  }

  /** Sends the file as the body of one request. */
  sendWhole() {
    // A browser that repeats a request by itself may report nothing (Firefox 153).
    this.reported = undefined
    return this.ask('POST', base, {
      fields: {
        'Content-Type': typeOf(this.file), 'Content-Disposition': disposition(this.name), 'Idempotency-Key': this.key,
      },
      body: this.file,
      progress: event => {
        this.reported = event.loaded
        this.progressed(event.loaded)
      },
    })
  }

  /**
   * The listed file with this name and content; `null` if the receiver doesn't answer, `undefined` if there is none. On an
   * origin that isn't secure the browser computes no digests, and the file is sent again.
   */
  async findStored() {
    const answer = await this.ask('GET', `${base}files.json`, { limit: 10_000 })
    if (isPassing(answer.status)) return null
    try {
      const sha256 = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', await this.file.arrayBuffer())))
      const names = [this.name, this.name.slice(this.name.lastIndexOf('/') + 1)]
      return answer.response.files.find(file =>
        file.state === 'complete' && file.sha256 === sha256 && names.includes(file.name))
    } catch {
      return undefined
    }
  }

  create() {
    const fields = {
      ...version, 'Upload-Complete': '?0', 'Upload-Length': String(this.size), 'Content-Type': typeOf(this.file),
      'Content-Disposition': disposition(this.name),
    }
    return this.ask('POST', base, { fields, limit: 20_000 })
  }

  /** Remembers a new upload's URL. */
  keep(answer) {
    this.url = new URL(answer.getResponseHeader('Location'), location.href).pathname
    this.most = Number(/max-append-size=(\d{1,15})/.exec(answer.getResponseHeader('Upload-Limit') ?? '')?.[1] ?? Infinity)
    if (this.isKept) {
      const { name, size, file: { lastModified } } = this
      remember([...remembered(), { url: this.url, name, size, lastModified }])
    }
    claim()
  }

  append(offset) {
    const end = Math.min(this.size, offset + (this.most ?? Infinity))
    return this.ask('PATCH', this.url, {
      fields: {
        ...version, 'Content-Type': 'application/partial-upload', 'Upload-Offset': String(offset),
        'Upload-Complete': end === this.size ? '?1' : '?0',
      },
      body: offset < end ? this.file.slice(offset, end) : null,
      progress: event => this.progressed(offset + event.loaded),
    })
  }

  progressed(sent) {
    if (this.state === 'sending') this.show(Math.min(this.size, sent))
    changed()
  }

  /** Waits before the next try; not longer than until the receiver is known to be back. */
  async pause(count, text) {
    this.become('paused', text ?? (this.isPlain
      ? 'The connection was lost. Trying again from the beginning'
      : `The connection was lost. Continuing ${this.sent ? `from ${sizeText(this.sent)} ` : ''}as soon as possible`))
    changed()
    await new Promise(resolve => {
      this.wake = resolve
      this.timer = setTimeout(resolve, Math.min(5000, 500 * 2 ** count))
    })
    clearTimeout(this.timer)
  }

  delay(answer) {
    const seconds = Math.min(numberField(answer, 'Retry-After') ?? 5, 60)
    this.become('delayed', `The receiver is busy. Trying again in ${countText(seconds, 'second')}`)
    if (!this.url) this.show(0)
    this.timer = setTimeout(() => { this.become('waiting', 'Waiting'); next() }, 1000 * seconds)
    next()
  }

  arrived(answer) {
    if (this.url) forget(this.url)
    this.url = undefined
    const stored = answer.response?.files?.[0] ?? { name: this.name, size: this.size }
    this.show(this.size)
    this.become('sent', 'Arrived')
    const row = arrivedNow(stored, this.name)
    if (this.row.contains(document.activeElement)) (row.querySelector('summary') ?? $('list-title')).focus()
    this.row.remove()
    say(visible(stored.name), 'arrived')
    refreshSoon()
    next()
  }

  refused(answer) {
    // The file was changed since it was sent first.
    if (answer.status === 422) this.key = randomKey()
    const { response } = answer // null if it isn't JSON
    const text = response?.detail ?? response?.title ?? `The receiver answered ${answer.status} ${answer.statusText}`
    this.isFinal = answer.status === 413 || answer.status === 415
    this.end(answer.status === 401 ? `${text} Reload the page to sign in.` : text)
  }

  end(text) {
    this.turn += 1
    this.become('failed', `Failed: ${visible(text)}`)
    if (!this.url) this.show(0)
    say(`${visible(this.name)} failed. ${visible(text)}`)
    next()
  }

  cancel() {
    this.turn += 1
    clearTimeout(this.timer)
    this.become('cancelled', 'Cancelled')
    this.show(0)
    this.request?.abort()
    this.withdraw()
    say(`${visible(this.name)} cancelled.`)
    next()
  }

  /** Has the receiver delete what it has. */
  withdraw() {
    if (!this.url) return
    forget(this.url)
    // If this fails, the upload expires.
    fetch(this.url, { method: 'DELETE', headers: { ...byScript, ...version }, keepalive: true }).catch(() => {})
    this.url = undefined
  }

  retry() {
    this.tries = 0
    this.isPlain = false
    this.patience = patience
    this.become('waiting', 'Waiting')
    if (!this.url) this.show(0)
    next()
  }

  /** Waits for its file to be chosen again. */
  offer(url, sent) {
    this.url = url
    const news = sent === undefined ? '' : `${sizeText(sent)} of it arrived. `
    this.become('offered', `${news}Choose the same file again to continue.`)
    this.show(sent ?? 0)
  }

  isFor(file, name) {
    const last = path => path.slice(path.lastIndexOf('/') + 1)
    return this.state === 'offered' && last(this.name) === last(name) && this.size === file.size
      && this.file.lastModified === file.lastModified
  }

  continueWith(file) {
    this.file = file
    this.become('waiting', 'Waiting')
  }

  remove() {
    uploads = uploads.filter(upload => upload !== this)
    this.row.remove()
    changed()
  }
}

/** Offers to continue what an earlier visit left unfinished. */
async function offerRemembered() {
  if (!remembered().length) return
  if (tabs) {
    tabs.postMessage({ ask: true })
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  for (const { url, name, size, lastModified } of remembered()) {
    // An upload of another link is continued on that link's page.
    if (!url.startsWith(`${base}.uploads/`) || elsewhere.has(url) || uploads.some(upload => upload.url === url)) continue
    const answer = await ask('HEAD', url, { fields: version, limit: 10_000 })
    const isThere = answer.status >= 200 && answer.status < 300
    const sent = numberField(answer, 'Upload-Offset')
    // The answer to a complete upload has been lost, or the upload has expired: nothing is left to do.
    if (answer.status === 404 || answer.status === 410 || isThere && answer.getResponseHeader('Upload-Complete') === '?1') {
      forget(url)
      continue
    }
    if (uploads.some(upload => upload.url === url)) continue
    const upload = new Upload({ size, lastModified, type: '', slice: () => new Blob() }, name)
    uploads.push(upload)
    upload.offer(url, isThere ? sent : undefined)
    say(`${visible(name)} is unfinished. Choose the same file again to continue.`)
    if (isThere && sent === size) upload.continueWith(upload.file) // only the end of the upload is missing
    next()
  }
}

/** Tries again at once, since the receiver has just answered. */
function wakeAll() {
  inState('paused').forEach(upload => upload.wake?.())
}

addEventListener('online', wakeAll)

function add(files, options) {
  if (!files.length) return
  if (!uploads.some(upload => upload.isActive)) milestone = 0
  const most = Math.min(limits.maxFileSize ?? Infinity, limits.maxSize ?? Infinity)
  for (const { file, name } of files) {
    const unfinished = uploads.find(upload => upload.isFor(file, name))
    if (unfinished) {
      unfinished.continueWith(file)
      continue
    }
    const upload = new Upload(file, name, options)
    uploads.push(upload)
    upload.isFinal = file.size > most
    if (upload.isFinal) upload.end(`Too large: ${sizeText(file.size)}. The limit is ${sizeText(most)} per file.`)
  }
  $('done').hidden = true
  say(`${countText(files.length, 'file')} added.`)
  next()
}

const inState = (...states) => uploads.filter(upload => states.includes(upload.state))

/** Sends waiting uploads while fewer than three are being sent. */
function next() {
  const most = Math.max(1, Math.min(atOnce, limits.maxUploads ?? atOnce))
  const room = Math.max(0, most - inState('sending', 'paused').length)
  inState('waiting').slice(0, room).forEach(upload => upload.send())
  changed()
}

setInterval(() => {
  if (!inState('sending').length) return
  inState('sending').forEach(upload => upload.tick())
  changed()
}, 1000)

/** Draws the overall progress, not for each event. Also while the tab is hidden, because its title shows the progress. */
function changed() {
  drawing ??= setTimeout(() => { drawing = undefined; draw() }, 50)
}

function draw() {
  const count = state => inState(state).length
  const sum = (of, values) => values.reduce((total, value) => total + value[of], 0)
  const wanted = uploads.filter(upload => !['cancelled', 'offered'].includes(upload.state))
  const counted = wanted.filter(upload => upload.state !== 'failed')
  const [total, sent] = [sum('size', counted), sum('sent', counted)]
  const active = uploads.some(upload => upload.isActive)
  const share = total ? sent / total : Number(!active && wanted.length > 0)
  const failures = count('failed') ? [`${count('failed')} failed`] : []
  const ended = count('failed') + count('cancelled')
  // The row of a single file shows its progress, and has its buttons.
  $('overall').hidden = !active || wanted.length < 2
  $('overall').value = share
  $('overall-text').hidden = $('overall').hidden
  $('overall-text').textContent = [
    `${count('sent')} of ${countText(wanted.length, 'file')}`, `${sizeText(sent)} of ${sizeText(total)}`,
    ...paceTexts(sum('rate', counted), total - sent), ...failures,
  ].join(' · ')
  offer('cancel-all', uploads.filter(upload => upload.isActive).length > 1)
  offer('retry-failed', inState('failed').filter(upload => !upload.isFinal).length > 1)
  offer('clear', ended)
  $('queue').hidden = $('overall').hidden && !ended
  document.title = active ? `${Math.floor(100 * share)} % · ${title}` : title
  const quarter = Math.floor(4 * share)
  if (active && quarter > milestone && quarter < 4) say(`${25 * quarter} % sent.`)
  milestone = Math.max(milestone, quarter)
  if (wasActive && !active) {
    if (wanted.length) say(`All done: ${[`${count('sent')} sent`, ...failures].join(', ')}.`)
    $('done').hidden = !count('sent') || ended > 0
    $('done').textContent = `${countText(count('sent'), 'file')} ${count('sent') === 1 ? 'has' : 'have'} arrived. You can close this page.`
    // Those that have arrived are in the list below.
    uploads = uploads.filter(upload => upload.state !== 'sent')
    changed()
  }
  if (!active && !uploads.length && $('queue').contains(document.activeElement)) $('list-title').focus()
  wasActive = active
}

/** Shows a button while it can do something. The focus isn't lost with it. */
function offer(id, isUseful) {
  if (!isUseful && document.activeElement === $(id)) $('list-title').focus()
  $(id).hidden = !isUseful
}

$('cancel-all').addEventListener('click', () => {
  // Waiting ones first, or one of them would start whenever a slot becomes free.
  for (const state of ['waiting', 'delayed', 'paused', 'sending']) inState(state).forEach(upload => upload.cancel())
})
$('retry-failed').addEventListener('click', () => {
  inState('failed').filter(upload => !upload.isFinal).forEach(upload => upload.retry())
})
$('clear').addEventListener('click', () => {
  for (const upload of inState('failed', 'cancelled')) {
    upload.withdraw()
    upload.remove()
  }
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
  const isKept = false // a picture of the clipboard can't be chosen again later
  add(files.map(file => ({ file, name: file.name.replace(/^image(\.\w+)$/, `pasted ${time}$1`) })), { isKept })
})

// ---- Arrived files

/** The listed files and their rows. */
const rows = new Map()
/** Keys of the files that this page sent. They stay in the list whatever the receiver lists. */
const own = new Set()
let shown = ''
let isSignedOut = false
let timer

async function refresh() {
  clearTimeout(timer)
  let pause = pollEvery
  try {
    const response = await fetch(`${base}files.json`, { cache: 'no-cache', headers: { ...byScript, Accept: 'application/json' } })
    if (response.status === 401) {
      signedOut()
    } else if (response.status === 403) {
      tell((await response.json()).detail) // the link has expired
    } else if (!response.ok) {
      throw new Error(response.statusText)
    }
    const text = response.ok ? await response.text() : shown
    if (response.ok) {
      tell('')
      isSignedOut = false
      wakeAll()
    }
    if (text !== shown) list(JSON.parse(text))
    shown = text
  } catch {
    isSignedOut = false
    tell('The receiver doesn’t answer; trying again.')
    if (!inState('paused').length) pause *= 3
  }
  clearTimeout(timer) // of another refresh that began in the meantime, after an upload
  if (!document.hidden) timer = setTimeout(refresh, pause)
}

let soon

/** After arrivals from this page, which it has listed itself: one request for several of them. */
function refreshSoon() {
  soon ??= setTimeout(() => { soon = undefined; refresh() }, 500)
}

const tell = text => write($('connection'), text)

function signedOut() {
  if (isSignedOut) return
  isSignedOut = true
  tell('You are signed out. ')
  const link = document.createElement('a')
  Object.assign(link, { href: base, target: '_blank', rel: 'noopener', textContent: 'Sign in' })
  $('connection').append(link, '.')
}

const identity = file => `${file.name} ${file.size} ${file.sha256}`

/** Lists a file that this page has just sent. The receiver's own list may already have shown it. */
function arrivedNow(stored, name) {
  let key = [...rows.keys()].find(key => !own.has(key) && identity(rows.get(key).file) === identity(stored))
  if (!key) {
    const file = { ...stored, time: new Date().toISOString() }
    key = `own ${own.size}`
    rows.set(key, { file, row: rowOf(file) })
    $('arrived').prepend(rows.get(key).row)
  }
  own.add(key)
  const { row } = rows.get(key)
  if (stored.name !== name) row.querySelector('.when').prepend(`sent as ${visible(name)} · `)
  showCount()
  return row
}

function list(received) {
  limits = received.limits ?? {}
  const complete = received.files.filter(file => file.state === 'complete')
  // A file that this page sent keeps its row, which may have the focus or be open.
  const mine = new Map([...own].map(key => [identity(rows.get(key).file), key]))
  const wanted = new Map(complete.map(file => [mine.get(identity(file)) ?? `${file.id} ${file.time} ${file.name}`, file]))
  for (const [key, { row }] of rows) {
    if (wanted.has(key) || own.has(key)) continue
    row.remove()
    rows.delete(key)
  }
  for (const [key, file] of wanted) {
    if (rows.has(key)) continue
    rows.set(key, { file, row: rowOf(file) })
    $('arrived').prepend(rows.get(key).row) // in order of arrival; the newest is shown first
  }
  showCount()
}

function showCount() {
  $('count').textContent = `${rows.size} arrived`
  $('show-all').hidden = rows.size <= rowsShown || $('arrived').classList.contains('all')
  $('show-all').textContent = `Show all ${rows.size} files`
}

$('show-all').addEventListener('click', () => {
  $('arrived').classList.add('all')
  $('show-all').hidden = true
  $('arrived').children[rowsShown]?.querySelector('summary')?.focus()
})

function rowOf(file) {
  const row = copyOf('arrived-row')
  const time = row.querySelector('time')
  row.querySelector('bdi').textContent = visible(file.name)
  row.querySelector('.size').textContent = sizeText(file.size)
  const date = new Date(file.time)
  const isToday = date.toDateString() === new Date().toDateString()
  time.dateTime = file.time
  time.textContent = isToday
    ? date.toLocaleTimeString(undefined, { timeStyle: 'short' })
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  if (file.sha256) {
    row.querySelector('code').textContent = file.sha256
    row.querySelector('button').setAttribute('aria-label', `Copy the SHA-256 of ${visible(file.name)}`)
  } else {
    const line = document.createElement('p')
    line.className = 'what'
    line.append(...row.querySelector('summary .what').childNodes)
    row.replaceChildren(line)
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
if ($('expiry')) {
  const expiry = new Date($('expiry').dateTime)
  $('expiry').textContent = expiry.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}
$('arrived').replaceChildren()
$('files').required = false
document.documentElement.classList.add('script')
refresh()
offerRemembered()
