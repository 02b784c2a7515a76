/**
 * GraphiQL as a script and a stylesheet of their own, so that browsers keep them and run no inline script: the package gives
 * one page of nine megabytes with everything inside.
 */
export async function loadGraphiql(): Promise<{ script: string; style: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  // The credentials of the browser's own session, and of no other site.
  const page = renderGraphiQL({ title: 'Gantry GraphQL', endpoint: '/graphql', credentials: 'same-origin' });
  const style = between(page, '<style>', page.indexOf('</style>'));
  const script = between(page, '<script>', page.lastIndexOf('</script>'), page.indexOf('</style>'));
  return { script, style };
}

function between(page: string, opening: string, end: number, from = 0): string {
  const start = page.indexOf(opening, from);
  if (start < 0 || end < start) throw new Error(`GraphiQL's page has no ${opening}`);
  return page.slice(start + opening.length, end);
}
