// Search results that read as sentences: a result shows the paragraph that matches, cut between
// sentences, its formulas in plain letters.  Loaded by the search page, after Sphinx's own script.
{
  const letters = {
    alpha: 'α', gamma: 'γ', Delta: 'Δ', eta: 'η', theta: 'θ', kappa: 'κ', lambda: 'λ', rho: 'ρ',
    pi: 'π', sum: '∑', prod: '∏', infty: '∞', cdot: '·', le: '≤', ge: '≥', approx: '≈', in: '∈',
    ell: 'ℓ', sqrt: '√', times: '×', to: '→', E: 'E', R: 'R', P: 'P', log: 'log', ln: 'ln',
  };
  const plain = tex => tex
    .replace(/\\\(|\\\)|\\\[|\\\]/g, '')
    .replace(/\\(tilde|bar|hat)\s*\{?\\?([a-zA-Z]+)\}?/g,
      (_, mark, name) => (letters[name] ?? name) + { tilde: '\u0303', bar: '\u0304', hat: '\u0302' }[mark])
    .replace(/\\t?frac\s*\{?(.+?)\}?\s*\{?(\w+)\}?/g, '$1/$2')
    .replace(/\\([a-zA-Z]+)/g, (_, name) => letters[name] ?? ' ')
    .replace(/\^\{?\*\}?/g, '*').replace(/[{}\\$]|_(?=\{|\w)/g, '');

  Search.makeSearchSummary = (html, keywords, anchor) => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    page.querySelectorAll('.headerlink, script, style, .eqno').forEach(e => e.remove());
    page.querySelectorAll('.math').forEach(e => { e.textContent = plain(e.textContent); });
    const article = page.querySelector('article.bd-article');
    const place = (anchor && article?.querySelector(anchor)) || article;
    const blocks = [...(place?.querySelectorAll('p:not(.admonition-title), li, dd, td, figcaption') ?? [])]
      .map(e => e.textContent.replace(/\s+/g, ' ').trim()).filter(text => text.length > 20);
    const matches = text => [...keywords].some(k => text.toLowerCase().includes(k.toLowerCase()));
    const text = blocks.find(matches) ?? blocks[0];
    if (!text) return null;
    const sentences = text.match(/.+?[.!?:](?=\s|$)|.+$/g);
    let shown = '';
    for (const s of sentences.slice(Math.max(0, sentences.findIndex(matches)))) {
      if (shown && shown.length + s.length > 260) break;
      shown += s;
    }
    const summary = document.createElement('p');
    summary.className = 'context';
    summary.textContent = shown.trim();
    return summary;
  };
}
