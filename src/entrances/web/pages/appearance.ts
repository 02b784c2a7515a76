import { Router } from 'express';
import { dismiss } from '#pages/engine/branding.ts';
import { localPath, type Pages } from '#pages/engine/page.ts';
import { findAppearanceImage } from '#src/domain/administration/appearance/update.ts';
import { broadcastColors } from '#src/domain/notifications/server_messages/shown.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { appearanceImagePath, appearanceStyle, currentAppearance } from '#src/platform/settings/appearance.ts';

/** Milliseconds for which browsers keep what has a new address when it changes. */
const KEPT = 'public, max-age=86400';

/** Serves the images, the colours and the manifest of the server, without authentication. */
export function serveAppearance(db: Db): Router {
  return Router()
    .get(appearanceImagePath(':name' as 'logo', ':key'), async ({ params }, response, next) => {
      try {
        const { type, content } = await findAppearanceImage(db, String(params.name), String(params.key));
        response.set({
          'Content-Type': type,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cache-Control': KEPT,
        });
        response.send(Buffer.from(content));
      } catch (error) {
        next(error instanceof NotFound ? undefined : error);
      }
    })
    .get('/-/appearance/:version.css', async ({ params }, response) => {
      const { version, css } = appearanceStyle(await currentAppearance(db), await broadcastColors(db));
      const isCurrent = params.version === version;
      response
        .set('Cache-Control', isCurrent ? KEPT : 'no-store')
        .type('css')
        .send(css);
    })
    .get('/-/manifest.json', async (_request, response, next) => {
      const { pwaName, pwaShortName, pwaDescription, pwaIconKey } = await currentAppearance(db);
      if (pwaName === '') return next();
      const icon = pwaIconKey === null ? '/favicon.ico' : appearanceImagePath('pwa_icon', pwaIconKey);
      response.type('application/manifest+json').send(
        JSON.stringify({
          name: pwaName,
          short_name: pwaShortName || pwaName,
          ...(pwaDescription !== '' && { description: pwaDescription }),
          start_url: '/',
          display: 'browser',
          icons: [{ src: icon, sizes: 'any' }],
        }),
      );
    });
}

/** The forms of messages on pages: hiding one needs no script and no account. */
export function broadcastForms({ form }: Pages): Router {
  return Router().post(
    '/-/broadcast_messages/:id/dismiss',
    form(({ request, response, secure }, next) => {
      const id = String(request.params.id);
      if (!/^\d{1,9}$/.test(id)) return next();
      dismiss(request, response, secure, Number(id));
      response.redirect(303, localPath(request.body.return_to, '/'));
    }),
  );
}
