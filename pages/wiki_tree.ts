/** A page of a wiki in a list. */
export interface ListedPage {
  readonly slug: string;
  readonly title: string;
}

/** The pages of a folder of a wiki, and the folders in it, by name. */
export interface PagesIn {
  readonly pages: ListedPage[];
  readonly folders: Map<string, PagesIn>;
}

/** Folders within each other that are shown as such; pages further below are in the last one. */
const MAX_DEPTH = 20;

/** Pages as a tree of their folders. */
export function treeOf(pages: readonly ListedPage[]): PagesIn {
  const root: PagesIn = { pages: [], folders: new Map() };
  for (const page of pages) {
    let at = root;
    for (const name of page.slug.split('/').slice(0, -1).slice(0, MAX_DEPTH)) {
      const folder = at.folders.get(name) ?? { pages: [], folders: new Map() };
      at.folders.set(name, folder);
      at = folder;
    }
    at.pages.push(page);
  }
  return root;
}
