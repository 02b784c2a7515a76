import crypto from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';

/** A file that pages need. Its path changes with its content, so that browsers can cache it forever. */
export interface Asset {
  /** File name without its ending, such as `graphiql`. */
  name: string;
  type: 'css' | 'js' | 'svg';
  /** Reads or creates the content; called once, for the first page that needs it. */
  load(): Promise<string | Buffer>;
}

/** Serves assets and knows their paths. */
export class Assets {
  readonly #kept = new Map<string, Promise<Packed>>();

  async path(asset: Asset): Promise<string> {
    return (await this.#packed(asset)).path;
  }

  /** Serves the given assets, which are loaded by `path` or by the first request. */
  router(assets: readonly Asset[]): Router {
    const serve: RequestHandler = async (request, response, next) => {
      const asset = assets.find(({ name, type }) => name === request.params.name && type === request.params.type);
      const packed = asset && (await this.#packed(asset));
      if (!asset || packed?.path !== request.path) return next();
      response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      response.setHeader('Vary', 'Accept-Encoding');
      response.type(asset.type);
      if (request.acceptsEncodings('gzip')) {
        response.setHeader('Content-Encoding', 'gzip');
        response.send(packed.content);
      } else Readable.from([packed.content]).pipe(createGunzip()).pipe(response);
    };
    return Router().get('/-/assets/:name-:hash.:type', serve);
  }

  #packed(asset: Asset): Promise<Packed> {
    const known = this.#kept.get(asset.name + asset.type);
    if (known) return known;
    const packing = pack(asset);
    this.#kept.set(asset.name + asset.type, packing);
    packing.catch(() => this.#kept.delete(asset.name + asset.type));
    return packing;
  }
}

interface Packed {
  path: string;
  /** Compressed with gzip: some assets have megabytes. */
  content: Buffer;
}

async function pack(asset: Asset): Promise<Packed> {
  const content = await asset.load();
  return { path: assetPath(asset, content), content: await promisify(gzip)(content) };
}

/** The path of an asset with this content. */
export function assetPath({ name, type }: Pick<Asset, 'name' | 'type'>, content: string | Buffer): string {
  const hash = crypto.createHash('sha256').update(content).digest('hex').slice(0, 16);
  return `/-/assets/${name}-${hash}.${type}`;
}
