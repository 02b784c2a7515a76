import { type RequestHandler, Router } from 'express';
import type { Assets } from '#pages/engine/asset.ts';
import { graphqlTasks } from '#pages/engine/manual.ts';
import { type Pages, wantsPage } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { viewerFile } from '#src/entrances/web/pages/viewer_file.ts';

const READER = { script: viewerFile('swagger-ui-bundle', 'js'), style: viewerFile('swagger-ui', 'css') };
const GRAPHIQL = { script: viewerFile('graphiql', 'js'), style: viewerFile('graphiql', 'css') };

/**
 * The viewers of the REST API and GraphQL, served by this server, including their scripts. `graphiql` responds at
 * the URL of GraphQL when a browser asks for a page.
 */
export function documentPages({ page }: Pages, assets: Assets): { router: Router; graphiql: RequestHandler } {
  const show = async (visit: Visit, view: string, title: string, viewer: typeof READER, values: object = {}) => {
    const [viewerScript, style] = await Promise.all([assets.path(viewer.script), assets.path(viewer.style)]);
    visit.show(view, { title, viewer: { style, hasMain: view === 'documents' } }, { viewerScript, ...values });
  };
  const router = Router()
    .get(
      '/-/docs',
      page((visit) => show(visit, 'documents', visit.texts.t('REST API'), READER)),
    )
    .use(assets.router([...Object.values(READER), ...Object.values(GRAPHIQL)]));
  const showGraphiql = page((visit) => show(visit, 'graphiql', 'GraphiQL', GRAPHIQL, { tasks: graphqlTasks() }));
  return {
    router,
    // Also with a query in the URL, where GraphiQL stores it for bookmarks and links.
    graphiql: (request, response, next) => (wantsPage(request) ? showGraphiql(request, response, next) : next()),
  };
}
