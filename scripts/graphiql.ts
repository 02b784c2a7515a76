/**
 * The default query for signed-in users: their own data. It has no name, because after another query was typed GraphiQL would
 * still request the operation of that name for a moment.
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

/** The default query for anonymous visitors. */
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
 * GraphiQL as separate script and stylesheet, so that browsers cache them and run no inline script: the package contains one page
 * of nine megabytes with everything inside. The script renders into the element `#root`, whose attribute `data-signed-in` selects
 * the default query.
 */
export async function loadGraphiql(): Promise<{ script: string; style: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = renderGraphiQL({
    title: 'Gantry GraphQL',
    endpoint: '/graphql',
    // Sends the browser's session cookie to this server only.
    credentials: 'same-origin',
    defaultQuery: OWN_QUERY,
  });
  const style = between(page, '<style>', page.indexOf('</style>'));
  const script = between(page, '<script>', page.lastIndexOf('</script>'), page.indexOf('</style>'));
  return { script: withChoice(script), style };
}

/** The script, changed to use the default query that the page selects. */
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
