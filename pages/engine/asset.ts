import crypto from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress, createGunzip, gzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';

/** A file that pages need. Its path changes with its content, so that browsers can cache it forever. */
export type Asset = LoadedAsset | CompressedAsset;

interface NamedAsset {
  /** File name without its ending, such as `graphiql`. */
  name: string;
  type: 'css' | 'html' | 'js' | 'svg';
}

export interface LoadedAsset extends NamedAsset {
  /** Reads or creates the content; called once, for the first page that needs it. */
  load(): Promise<string | Buffer>;
}

interface CompressedAsset extends NamedAsset {
  /** Reads the content as compressed by Brotli, as often as `load`. */
  loadCompressed(): Promise<Buffer>;
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
      const { content, encoding } = packed;
      if (request.acceptsEncodings(encoding)) {
        response.setHeader('Content-Encoding', encoding);
        response.send(content);
      } else {
        const unpacked = encoding === 'br' ? createBrotliDecompress() : createGunzip();
        await pipeline(Readable.from([content]), unpacked, response);
      }
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
  /** Compressed: some assets have megabytes. */
  content: Buffer;
  encoding: 'gzip' | 'br';
}

async function pack(asset: Asset): Promise<Packed> {
  if ('loadCompressed' in asset) {
    const content = await asset.loadCompressed();
    return { path: assetPath(asset, content), content, encoding: 'br' };
  }
  const content = await asset.load();
  return { path: assetPath(asset, content), content: await promisify(gzip)(content), encoding: 'gzip' };
}

/** The path of an asset with this content. */
export function assetPath({ name, type }: NamedAsset, content: string | Buffer): string {
  const hash = crypto.createHash('sha256').update(content).digest('hex').slice(0, 16);
  return `/-/assets/${name}-${hash}.${type}`;
}
