import { readFile } from 'node:fs/promises';
import { Router } from 'express';
import { packagePath } from '#src/platform/package_root.ts';

/** The icon of the site at the default path. */
export function favicon(): Router {
  let content: Promise<Buffer> | undefined;
  return Router().get('/favicon.ico', async (_request, response) => {
    content ??= readFile(packagePath('assets/favicon.svg'));
    response.set({ 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' }).send(await content);
  });
}
