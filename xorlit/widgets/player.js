// Shows the frame that the sliders point at.  One player: a group of native range inputs, an SVG
// with one set of elements a frame (data-frame="k", counted with the last slider fastest), and a
// sentence a frame.
(root => {
  const { words, sentences } = JSON.parse(root.querySelector('script').textContent);
  const inputs = [...root.querySelectorAll('input')];
  const outputs = [...root.querySelectorAll('output')];
  const button = root.querySelector('button');
  const frames = sentences.map(() => []);
  root.querySelectorAll('[data-frame]').forEach(e => frames[e.dataset.frame].push(e));
  let shown = +root.dataset.start, timer = null;

  const show = () => {
    let k = 0;
    inputs.forEach((input, i) => {
      const word = words[i][input.value];
      k = k * words[i].length + Number(input.value);
      outputs[i].textContent = word;
      input.setAttribute('aria-valuetext', word);
    });
    frames[shown].forEach(e => e.setAttribute('display', 'none'));
    frames[k].forEach(e => e.removeAttribute('display'));
    root.querySelector('[role=status]').textContent = sentences[k];
    shown = k;
  };
  const pause = () => { clearInterval(timer); timer = null; button.textContent = 'Play'; };
  const step = () => {
    const first = inputs[0];
    if (first.value === first.max) return pause();
    first.value = Number(first.value) + 1;
    show();
  };

  inputs.forEach(input => input.addEventListener('input', () => { pause(); show(); }));
  button.addEventListener('click', () => {
    if (timer) return pause();
    if (inputs[0].value === inputs[0].max) { inputs[0].value = 0; show(); }
    button.textContent = 'Pause';
    timer = setInterval(step, 350);
  });
})(document.currentScript.parentElement);
