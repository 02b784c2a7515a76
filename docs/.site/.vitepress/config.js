import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

/*
 * The site of the documents: scripts/docs.ts lays its pages out in pages/, and writes what is in the side bar.
 */
const { version, sidebar } = JSON.parse(readFileSync(new URL('../pages/site.json', import.meta.url), 'utf8'));

/** Anchors as GitHub makes them, which the links in the documents use. */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

export default defineConfig({
  title: 'Gantry',
  description: 'A light, self-hosted project-hosting server that speaks the REST API v4, GraphQL and OAuth 2.0',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: false,
  // Those of the reader of the REST API, which is not one of the pages.
  ignoreDeadLinks: [/^\/rest\//],
  markdown: {
    ...{ html: false, anchor: { slugify }, toc: { slugify }, headers: { slugify } },
    // Braces in code are text: {{ }} would be an expression of Vue.
    config(md) {
      const { code_inline: render } = md.renderer.rules;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet('v-pre', '');
        return render(tokens, index, ...rest);
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar,
    nav: [
      { text: 'REST API', link: '/rest/index.html', target: '_self' },
      { text: 'GraphQL', link: '/graphql/' },
      { text: version, link: '/changelog' },
    ],
  },
});
