/** The facts about a license besides its text. The lists use the words of the REST API. */
export interface LicenseFacts {
  /** Key in the REST API. */
  key: string;
  /** URL where its text was published. */
  sourceUrl: string;
  name: string;
  nickname: string | null;
  /** Whether it is one of the most popular licenses. */
  popular: boolean;
  description: string;
  conditions: readonly string[];
  permissions: readonly string[];
  limitations: readonly string[];
}

const FREE = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const NO_LIABILITY = ['no-liability'];
const COPYLEFT = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];

/** The available licenses by key. */
export const LICENSES: readonly LicenseFacts[] = [
  {
    key: 'agpl-3.0',
    sourceUrl: 'https://www.gnu.org/licenses/agpl.txt',
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    popular: false,
    description:
      'Whoever shares the software or a changed version, or lets people use it over a network, must offer them the source under the same license.',
    conditions: [...COPYLEFT, 'network-use-disclose'],
    permissions: [...FREE, 'patent-use'],
    limitations: NO_LIABILITY,
  },
  {
    key: 'apache-2.0',
    sourceUrl: 'https://www.apache.org/licenses/LICENSE-2.0',
    name: 'Apache License 2.0',
    nickname: null,
    popular: true,
    description:
      'Permissive: notices must be kept and changes stated. Contributors grant the rights to their patents expressly.',
    conditions: ['include-copyright', 'document-changes'],
    permissions: [...FREE, 'patent-use'],
    limitations: ['no-liability', 'trademark-use'],
  },
  {
    key: 'artistic-2.0',
    sourceUrl: 'http://www.perlfoundation.org/artistic_license_2_0',
    name: 'Artistic License 2.0',
    nickname: null,
    popular: false,
    description: 'Permissive, but changed versions must be told apart from the original. Common among Perl modules.',
    conditions: ['include-copyright', 'document-changes'],
    permissions: [...FREE, 'patent-use'],
    limitations: ['no-liability', 'trademark-use'],
  },
  {
    key: 'bsd-2-clause',
    sourceUrl: 'https://opensource.org/licenses/BSD-2-Clause',
    name: 'BSD 2-clause "Simplified" License',
    nickname: null,
    popular: false,
    description:
      'Permissive: source and binaries may be shared if the copyright notice and the license stay with them.',
    conditions: ['include-copyright'],
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'bsd-3-clause',
    sourceUrl: 'https://opensource.org/licenses/BSD-3-Clause',
    name: 'BSD 3-clause "New" or "Revised" License',
    nickname: null,
    popular: false,
    description:
      'As the BSD 2-clause License; besides, the names of the authors must not be used to promote what is made of the software.',
    conditions: ['include-copyright'],
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'cc0-1.0',
    sourceUrl: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
    name: 'Creative Commons Zero v1.0 Universal',
    nickname: null,
    popular: false,
    description: 'Gives up all copyright, as far as the law permits: the work is in the public domain.',
    conditions: [],
    permissions: FREE,
    limitations: ['no-liability', 'patent-use', 'trademark-use'],
  },
  {
    key: 'epl-1.0',
    sourceUrl: 'http://www.eclipse.org/legal/epl-v10.html',
    name: 'Eclipse Public License 1.0',
    nickname: null,
    popular: false,
    description:
      'The source of changed versions must be offered under the same license; other modules may have other licenses.',
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    permissions: [...FREE, 'patent-use'],
    limitations: NO_LIABILITY,
  },
  {
    key: 'gpl-2.0',
    sourceUrl: 'https://www.gnu.org/licenses/old-licenses/gpl-2.0-standalone.html',
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    popular: false,
    description: 'Whoever shares the software or a changed version must offer its source under the same license.',
    conditions: COPYLEFT,
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'gpl-3.0',
    sourceUrl: 'https://www.gnu.org/licenses/gpl-3.0-standalone.html',
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    popular: true,
    description:
      'Whoever shares the software or a changed version must offer its source under the same license, with the rights to patents in it.',
    conditions: COPYLEFT,
    permissions: [...FREE, 'patent-use'],
    limitations: NO_LIABILITY,
  },
  {
    key: 'isc',
    sourceUrl: 'https://www.isc.org/licenses/',
    name: 'ISC License',
    nickname: null,
    popular: false,
    description: 'Permissive, in few words: the copyright notice and the license must stay with the software.',
    conditions: ['include-copyright'],
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'lgpl-2.1',
    sourceUrl: 'https://www.gnu.org/licenses/old-licenses/lgpl-2.1-standalone.html',
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    popular: false,
    description:
      'For libraries: changes to the library must be offered under the same license, programs that use it may have another.',
    conditions: COPYLEFT,
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'lgpl-3.0',
    sourceUrl: 'https://www.gnu.org/licenses/lgpl-3.0-standalone.html',
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    popular: false,
    description:
      'For libraries: changes to the library must be offered under the same license, with the rights to patents in them; programs that use it may have another.',
    conditions: COPYLEFT,
    permissions: [...FREE, 'patent-use'],
    limitations: NO_LIABILITY,
  },
  {
    key: 'mit',
    sourceUrl: 'https://opensource.org/license/mit/',
    name: 'MIT License',
    nickname: null,
    popular: true,
    description: 'Permissive, in few words: do what you like, as long as the notices stay with the software.',
    conditions: ['include-copyright'],
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
  {
    key: 'mpl-2.0',
    sourceUrl: 'https://www.mozilla.org/MPL/2.0/',
    name: 'Mozilla Public License 2.0',
    nickname: null,
    popular: false,
    description:
      'Changed files must be offered under the same license; files that are added may have another. Includes the rights to patents.',
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    permissions: [...FREE, 'patent-use'],
    limitations: ['no-liability', 'trademark-use'],
  },
  {
    key: 'unlicense',
    sourceUrl: 'https://unlicense.org/',
    name: 'The Unlicense',
    nickname: null,
    popular: false,
    description: 'Gives up all copyright: the software is in the public domain, without conditions.',
    conditions: [],
    permissions: FREE,
    limitations: NO_LIABILITY,
  },
];
