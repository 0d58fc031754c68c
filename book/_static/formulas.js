// What MathJax is told that its settings have no word for.
if (window.MathJax) MathJax.startup = {
  ready() {
    // The part that writes MathML for screen readers sets an option of a menu that is not loaded.
    delete MathJax.config.options.menuOptions;
    MathJax.startup.defaultReady();
    MathJax.startup.document.inputJax[0].postFilters.add(({data}) => keepTogether(data.root));
  },
};

// Where no line ends: in or before a short bracket, as in f(x + 1) or |x + 1|; behind an opening
// one; and between a short left side and its relation, as in d = 4.
function keepTogether(root) {
  const leaves = [], open = [];
  root.walkTree(node => { if (node.isToken) leaves.push(node); });
  const keep = leaf => { if (leaf?.isKind('mo')) leaf.attributes.set('linebreak', 'nobreak'); };
  let bar = null;
  let left = 0; // where the left side begins: at the start, or after a wide space
  leaves.forEach((leaf, place) => {
    const text = leaf.isKind('mo') ? leaf.getText() : '';
    if (leaf.isKind('mspace') && parseFloat(leaf.attributes.get('width')) >= 1) left = place + 1;
    if (/^(:?[=<>≤≥≈≠∼→∈∉⊥≪≫])$/.test(text) && place - left < 4) keep(leaf);
    let start;
    if (/^[([{⌊⌈]$/.test(text)) {
      open.push(place);
      keep(leaves[place + 1]);
    }
    if (/^[)\]}⌋⌉]$/.test(text)) start = open.pop();
    if (text === '|') [start, bar] = bar === null ? [undefined, place] : [bar, null];
    if (place - start <= 14) leaves.slice(start, place + 1).forEach(keep);
  });
}
