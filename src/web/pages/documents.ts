import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import { packagePath } from '#src/platform/package_root.ts';
import type { Asset, Assets } from '#src/web/pages/asset.ts';
import { type Pages, wantsPage } from '#src/web/pages/page.ts';
import type { Visit } from '#src/web/pages/visit.ts';

/** What shows GraphQL to people; made from a package when the first of them comes. */
export type LoadGraphiql = () => Promise<{ script: string; style: string }>;

/**
 * The REST API and GraphQL, to read and to try: the viewers come from this server, scripts and all. `graphiql` answers for
 * the address of GraphQL when a browser wants a page there.
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
      visit.show(view, { title, viewerScript, viewerStyle, viewer: true, hasMain: view === 'documents' });
    });
  const router = Router()
    .get('/-/docs', show('documents', 'REST API', viewer))
    .use(assets.router([viewer.script, viewer.style, graphiql.script, graphiql.style]));
  const showGraphiql = show('graphiql', 'GraphiQL', graphiql);
  return {
    router,
    // Also with a query in the address, which GraphiQL puts there for those who keep it or send it to others.
    graphiql: (request, response, next) => (wantsPage(request) ? showGraphiql(request, response, next) : next()),
  };
}

/** A file of the viewer: the package of Gantry has it beside its own, the checkout in the package of the viewer. */
function viewerFile(name: string, type: Asset['type']): Asset {
  const load = async () => {
    const own = packagePath(`dist/viewer/${name}.${type}`);
    return readFile(own).catch(() =>
      readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}.${type}`)),
    );
  };
  return { name, type, load };
}
