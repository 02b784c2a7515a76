import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import type { Asset, Assets } from '#src/entrances/web/pages/asset.ts';
import { type Pages, wantsPage } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Loads GraphiQL from its package, at the first request. */
export type LoadGraphiql = () => Promise<{ script: string; style: string }>;

/**
 * The viewers of the REST API and GraphQL, served by this server, including their scripts. `graphiql` responds at
 * the URL of GraphQL when a browser asks for a page.
 */
export function documentPages(
  { page }: Pages,
  assets: Assets,
  loadGraphiql: LoadGraphiql,
): { router: Router; graphiql: RequestHandler } {
  const viewer = { script: viewerFile('swagger-ui-bundle', 'js'), style: viewerFile('swagger-ui', 'css') };
  const graphiql: Record<'script' | 'style', Asset> = {
    script: { name: 'graphiql', type: 'js', load: async () => (await loadGraphiql()).script },
    style: { name: 'graphiql', type: 'css', load: async () => (await loadGraphiql()).style },
  };
  const show = (view: string, title: string, { script, style }: Record<'script' | 'style', Asset>) =>
    page(async (visit: Visit) => {
      const [viewerScript, viewerStyle] = await Promise.all([assets.path(script), assets.path(style)]);
      visit.show(view, {
        title: visit.texts.t(title),
        viewerScript,
        viewerStyle,
        viewer: true,
        hasMain: view === 'documents',
      });
    });
  const router = Router()
    .get('/-/docs', show('documents', label('REST API'), viewer))
    .use(assets.router([viewer.script, viewer.style, graphiql.script, graphiql.style]));
  const showGraphiql = show('graphiql', label('GraphiQL'), graphiql);
  return {
    router,
    // Also with a query in the URL, where GraphiQL stores it for bookmarks and links.
    graphiql: (request, response, next) => (wantsPage(request) ? showGraphiql(request, response, next) : next()),
  };
}

/** A file of the viewer: Gantry's package includes it; in a checkout it is in the viewer's package. */
function viewerFile(name: string, type: Asset['type']): Asset {
  const load = async () => {
    const own = packagePath(`dist/viewer/${name}.${type}`);
    return readFile(own).catch(() =>
      readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}.${type}`)),
    );
  };
  return { name, type, load };
}
