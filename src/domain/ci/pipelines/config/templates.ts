/** Templates of the original that rule whether there is a pipeline, or need no image, by their names in lower case. */
const OWN: Readonly<Record<string, string>> = {
  'workflows/mergerequest-pipelines': `workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  'workflows/branch-pipelines': `workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
  'pages/html': `pages:
  stage: deploy
  environment: production
  script:
    - mkdir .public
    - cp -r ./* .public
    - rm -rf public
    - mv .public public
  artifacts:
    paths: [public]
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
};

/** Those whose jobs need programs and images of the original. */
const NOTHING = /^(?:(?:jobs|security|pages)\/[\w .+/-]+|code-quality)$/;

/** A template of the original that files include by its directory; null for others. */
export function knownTemplate(name: string): { text: string; warning?: string } | null {
  const plain = name.replace(/\.gitlab-ci\.yml$/i, '').toLowerCase();
  const own = Object.hasOwn(OWN, plain) ? OWN[plain] : undefined;
  if (own !== undefined) return { text: own };
  if (!NOTHING.test(plain)) return null;
  return { text: '{}', warning: `Template \`${name}\` is ignored: there is none like it here, and it adds no jobs` };
}
