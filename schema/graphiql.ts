/**
 * What GraphiQL opens with for somebody who is signed in: their own data. Without a name: GraphiQL would go on asking for the
 * operation of that name for a moment after another one was written in its place.
 */
export const OWN_QUERY = `# Run this query with the button, or with Ctrl-Enter.
{
  viewer {
    name
    username
    projects(first: 5) {
      nodes {
        fullPath
        webUrl
      }
    }
    issues(first: 5, filter: { state: OPENED }) {
      nodes {
        iid
        title
        project {
          fullPath
        }
      }
    }
  }
}
`;

/** What it opens with for anybody else. */
export const PUBLIC_QUERY = `# Run this query with the button, or with Ctrl-Enter. Sign in to see your own projects.
{
  projects(first: 5) {
    nodes {
      fullPath
      description
      webUrl
    }
  }
}
`;

/**
 * GraphiQL as a script and a stylesheet of their own, so that browsers keep them and run no inline script: the package gives
 * one page of nine megabytes with everything inside. The script shows it in the element `#root`, whose attribute
 * `data-signed-in` says which query it opens with.
 */
export async function loadGraphiql(): Promise<{ script: string; style: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = renderGraphiQL({
    title: 'Gantry GraphQL',
    endpoint: '/graphql',
    // The credentials of the browser's own session, and of no other site.
    credentials: 'same-origin',
    defaultQuery: OWN_QUERY,
  });
  const style = between(page, '<style>', page.indexOf('</style>'));
  const script = between(page, '<script>', page.lastIndexOf('</script>'), page.indexOf('</style>'));
  return { script: withChoice(script), style };
}

/** The script with the query that the page asks for in place of the one for everybody. */
function withChoice(script: string): string {
  const own = JSON.stringify(OWN_QUERY);
  const [before, after, ...more] = script.split(own);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('GraphiQL does not open with a query');
  const isSignedIn = "'signedIn' in document.querySelector('#root').dataset";
  return `${before}${isSignedIn} ? ${own} : ${JSON.stringify(PUBLIC_QUERY)}${after}`;
}

function between(page: string, opening: string, end: number, from = 0): string {
  const start = page.indexOf(opening, from);
  if (start < 0 || end < start) throw new Error(`GraphiQL's page has no ${opening}`);
  return page.slice(start + opening.length, end);
}
