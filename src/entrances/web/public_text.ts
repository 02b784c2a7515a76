import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { allowCompression, mayCompress } from '#src/platform/compressible.ts';
import { packagePath } from '#src/platform/package_root.ts';

type Form = 'br' | 'gzip' | 'identity';

const PACK: Record<Exclude<Form, 'identity'>, (text: Buffer) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (text) => promisify(gzip)(text, { level: 9 }),
};

/** A public text of this package. It is compressed once per encoding, as these texts have up to a megabyte. */
export class PublicText {
  readonly #file: string;
  readonly #type: string;
  readonly #forms = new Map<Form, Promise<Buffer>>();
  #etag: string | undefined;

  /** @param file path within the package */
  constructor(file: string, type: string) {
    this.#file = packagePath(file);
    this.#type = type;
  }

  /** Answers GET and HEAD, with 304 if the client has the text in any encoding. */
  async send(request: Request, response: Response): Promise<void> {
    allowCompression(response);
    const text = await this.#once('identity');
    this.#etag ??= `W/"${createHash('sha1').update(text).digest('base64url')}"`;
    response.setHeader('ETag', this.#etag);
    response.setHeader('Cache-Control', 'max-age=0, private, must-revalidate');
    if (request.fresh) return void response.status(304).end();
    const accepted = mayCompress(response) && request.acceptsEncodings('br', 'gzip', 'identity');
    const form = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
    const body = await this.#once(form);
    response.setHeader('Content-Type', this.#type);
    if (form !== 'identity') response.setHeader('Content-Encoding', form);
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #once(form: Form): Promise<Buffer> {
    const known = this.#forms.get(form);
    if (known) return known;
    const made = form === 'identity' ? readFile(this.#file) : this.#once('identity').then(PACK[form]);
    this.#forms.set(form, made);
    made.catch(() => this.#forms.delete(form));
    return made;
  }
}
