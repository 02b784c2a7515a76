import type { Answer, Send } from './http.ts';
import { unsaidOn } from './unsaid.ts';

/** The errors that a page shows. */
export const alertsOn = (page: string) => [...page.matchAll(/role="alert"[^>]*>([^<]*)</g)].map(([, text]) => text);

/** What a page says was done. */
export const noticeOn = (page: string) => /role="status">([^<]*)</.exec(page)?.[1];

/** A browser without scripts: keeps cookies, fills in the forms of pages and follows redirections when told. */
export class Browser {
  readonly #send: Send;
  readonly #cookies = new Map<string, string>();
  /** The page that was shown last, as HTML. */
  page = '';
  /** The last answer. */
  answer: Answer = { status: 0, headers: {}, body: null };

  constructor(send: Send) {
    this.#send = send;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  /** Sends fields with the token of the last page's forms, unless they hold another. */
  submit(path: string, fields: Record<string, string | string[]> = {}): Promise<Answer> {
    const form = new URLSearchParams({ authenticity_token: this.#token() });
    for (const [name, value] of Object.entries(fields)) {
      form.delete(name);
      for (const one of [value].flat()) form.append(name, one);
    }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.request('POST', path, { headers, body: form.toString() });
  }

  /** Sends fields as `submit` does, with the answer to the question that is asked first. */
  confirm(path: string, fields: Record<string, string | string[]> = {}): Promise<Answer> {
    return this.submit(path, { confirmed: 'true', ...fields });
  }

  /** Goes where the last answer leads. */
  follow(): Promise<Answer> {
    const { location } = this.answer.headers;
    if (location === undefined) throw new Error(`no redirection: ${this.answer.status} ${this.answer.body}`);
    return this.get(location);
  }

  /** Signs in on the page for that. */
  async signIn(login: string, password: string): Promise<Answer> {
    await this.get('/users/sign_in');
    return this.submit('/users/sign_in', { login, password });
  }

  async request(
    method: string,
    path: string,
    sent: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
  ) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Accept: 'text/html', ...(cookie ? { Cookie: cookie } : {}), ...sent.headers };
    this.answer = await this.#send(method, path, { ...sent, headers });
    for (const line of this.answer.headers['set-cookie'] ?? []) this.#keep(line);
    if (typeof this.answer.body === 'string' && this.answer.body.startsWith('<!doctype')) {
      this.page = this.answer.body;
      const unsaid = unsaidOn(this.page);
      if (unsaid.length > 0) throw new Error(`${method} ${path} shows a value that is missing: ${unsaid.join(' | ')}`);
    }
    return this.answer;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const mark = pair.indexOf('=');
    const gone = attributes.some((attribute) => /^\s*expires=thu, 01 jan 1970/i.test(attribute));
    if (gone) this.#cookies.delete(pair.slice(0, mark));
    else this.#cookies.set(pair.slice(0, mark), pair.slice(mark + 1));
  }

  #token(): string {
    return /name="authenticity_token" value="([^"]*)"/.exec(this.page)?.[1] ?? '';
  }
}
