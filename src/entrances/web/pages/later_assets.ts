import type { RequestHandler } from 'express';
import type { Assets } from '#pages/engine/asset.ts';
import type { LaterAssets } from '#pages/engine/render.ts';
import { viewerFile } from '#src/entrances/web/pages/viewer_file.ts';

const FORMULAS = viewerFile('formulas', 'js');
const DIAGRAM = viewerFile('diagram', 'html');
const EDITOR = viewerFile('code_editor', 'js');

/** What the script of pages loads where it is needed (`pages/scripts/pictured.js`, `editor.js`). */
export const LATER = [FORMULAS, DIAGRAM, EDITOR];

export async function laterAssets(assets: Assets): Promise<LaterAssets> {
  const [formulas, diagram, editor] = await Promise.all([
    assets.path(FORMULAS),
    assets.path(DIAGRAM),
    assets.path(EDITOR),
  ]);
  return { formulas, diagram, editor };
}

const POLICY = [
  "default-src 'none'",
  // The page itself allows its own script alone, by its hash.
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

/**
 * The frame of a diagram has an origin of its own and may load nothing, so that nothing in a diagram reaches the page, the session or
 * other servers.
 */
export const diagramPolicy: RequestHandler = (request, response, next) => {
  if (/^\/-\/assets\/diagram-\w+\.html$/.test(request.path)) response.setHeader('Content-Security-Policy', POLICY);
  next();
};
