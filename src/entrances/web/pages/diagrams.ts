import type { RequestHandler } from 'express';
import { viewerFile } from '#src/entrances/web/pages/viewer_file.ts';

/** The script that draws formulas in texts, which pages load when they have some. */
export const FORMULAS = viewerFile('formulas', 'js');

/** The frame in which a page has a diagram of a text drawn (`pages/scripts/pictured.js`). */
export const DIAGRAM = viewerFile('diagram', 'html');

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
